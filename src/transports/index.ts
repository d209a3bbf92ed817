export { createWireCommon, type WireCommon } from './identity.js';
export { serveStdio } from './stdio/serve-stdio.js';
export { standardStreams } from './stdio/standard-streams.js';
export type { HttpServer } from './http/serve-http.js';
