import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Gateway } from '../../gateway/index.js';
import type { Principal } from '../../kernel/index.js';
import { openAdmin } from '../admin/admin.js';
import { protocolError } from '../faults.js';
import type { WireCommon } from '../identity.js';
import { isOurHost, isOurOrigin } from './guard.js';
import { answerJson } from './http-line.js';
import { openMcpEndpoint } from './mcp-endpoint.js';
import { createRefusals, type Warn } from './refusals.js';
import { createSentAhead } from './sent-ahead.js';

export interface HttpParts {
  readonly gateway: Gateway;
  readonly common: WireCommon;
  readonly host: string;
  readonly port: number;
  readonly now: () => number;
  /** Who holds this Authorization header, or undefined for nobody. */
  readonly authenticate: (authorization: string | undefined) => Principal | undefined;
  /** For the operator's log. Never told what was sent as a token. */
  readonly warn: Warn;
}

export interface HttpServer {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

const tendMs = 15_000;
const maxConnections = 4096;
/** A connection on which nothing moves for so long is dead: open streams are kept alive more often than that. */
const silenceMs = 150_000;
/** Clients of today send the next request on a connection when they have the answer to the last. */
const maxSentAhead = 16;

/** Serves MCP, health and the admin API. Every route checks Host and Origin; all but health check the token. */
export async function serveHttp(parts: HttpParts): Promise<HttpServer> {
  const endpoint = openMcpEndpoint(parts.gateway, parts.common, parts.now);
  const admin = openAdmin(parts.gateway, parts.common, () => ({ sessions: endpoint.sessions() }));
  const refusals = createRefusals(parts.warn, parts.now);
  let isReady = false;
  let port = parts.port;
  void parts.gateway.settle().then(() => {
    isReady = true;
  });

  async function route(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const rule = { host: parts.host, port, address: request.socket.localAddress };
    if (!isOurHost(soleHost(request), rule) || !isOurOrigin(request.headers.origin, rule)) {
      return answerJson(response, 403, protocolError(undefined, -32600, 'Forbidden: foreign Host or Origin'));
    }
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    if (path === '/healthz') return answerJson(response, 200, '{"status":"ok"}');
    if (path === '/readyz') {
      return answerJson(response, isReady ? 200 : 503, `{"status":"${isReady ? 'ready' : 'starting'}"}`);
    }
    const principal = parts.authenticate(request.headers.authorization);
    if (principal === undefined) {
      refusals.refused(request.socket.remoteAddress);
      return unauthorized(response);
    }
    if (path === '/mcp') return endpoint.handle(request, response, principal);
    if (path === '/api' || path.startsWith('/api/')) return admin.handle(request, response, principal, path);
    answerJson(
      response,
      404,
      '{"error":{"code":"route.not_found","message":"No such address. MCP is at /mcp."}}',
    );
  }

  const server = createServer({ requestTimeout: 120_000, headersTimeout: 30_000, keepAliveTimeout: 65_000 });
  const sentAhead = createSentAhead(maxSentAhead);
  server.on('request', (request, response) => {
    response.on('error', () => response.destroy());
    if (!sentAhead.admit(request, response)) return;
    route(request, response).catch(() => {
      if (response.headersSent) response.destroy();
      else
        answerJson(
          response,
          500,
          protocolError(undefined, -32603, 'The gate failed to answer this request.'),
        );
    });
  });
  server.on('clientError', (_error, socket) => {
    if (socket.writable) socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
  });
  server.maxConnections = maxConnections;
  // Node leaves out headers beyond a number, and with them whatever we would check. Their size is limited anyway.
  server.maxHeadersCount = 0;
  server.setTimeout(silenceMs);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(parts.port, parts.host, resolve);
  });
  ({ port } = server.address() as AddressInfo);
  const timer = setInterval(() => {
    endpoint.tend();
    refusals.tend();
  }, tendMs);
  timer.unref();
  return {
    port,
    url: `http://${parts.host.includes(':') ? `[${parts.host}]` : parts.host}:${String(port)}/mcp`,
    async close() {
      clearInterval(timer);
      endpoint.close();
      const closed = new Promise((resolve) => server.close(resolve));
      setTimeout(() => server.closeAllConnections(), 50).unref();
      await closed;
    },
  };
}

/** With two of them, Node believes the first; whoever stands between may believe the other. */
function soleHost({ headersDistinct }: IncomingMessage): string | undefined {
  const { host = [] } = headersDistinct;
  return host.length === 1 ? host[0] : undefined;
}

function unauthorized(response: ServerResponse): void {
  answerJson(
    response,
    401,
    '{"error":{"code":"auth.required","message":"Send Authorization: Bearer <token>."}}',
    {
      'www-authenticate': 'Bearer realm="tidegate"',
    },
  );
}
