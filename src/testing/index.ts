export { createFakeExchange, type FakeExchange, type FakeExchangeOptions } from './fake-exchange.js';
export { createFakeProvider, type FakeHandler, type FakeProvider } from './fake-provider.js';
export { callTool, type Called, type CallParts } from './call-tool.js';
export { createFakeFiles, type FakeFiles } from './fake-files.js';
