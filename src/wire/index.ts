export type { DoorServer, Guest } from './door/serve-door.js';
export { createWireCommon, type WireCommon } from './identity.js';
export { serveStdio } from './mcp-stdio/serve-stdio.js';
export { standardStreams } from './mcp-stdio/standard-streams.js';
export type { HttpServer } from './mcp-http/serve-http.js';
