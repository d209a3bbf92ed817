export { mcpFaults } from './faults.js';
export { createWireCommon, type WireCommon } from './identity.js';
export { serveStdio, type StdioServer } from './mcp-stdio/serve-stdio.js';
export { standardStreams } from './mcp-stdio/standard-streams.js';
export type { HttpServer } from './mcp-http/serve-http.js';
