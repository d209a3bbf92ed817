export { serveHttp } from './mcp-http/serve-http.js';
