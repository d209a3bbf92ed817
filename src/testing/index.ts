export { createFakeExchange, type FakeExchange, type FakeExchangeOptions } from './fake-exchange.js';
export { createFakeProvider, type FakeHandler, type FakeProvider } from './fake-provider.js';
