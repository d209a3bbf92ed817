import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Gateway } from '../../gateway/index.js';
import { type Caller, shareOwner } from '../../core/index.js';
import { openAdmin } from '../admin-api/admin.js';
import type { AdminApi } from '../../ports/admin-api.js';
import { protocolError } from '../faults.js';
import type { WireCommon } from '../identity.js';
import { answerJson } from './answer-json.js';
import { createBodyRoom } from './body-room.js';
import { httpAnswer } from './http-codes.js';
import { createConnectionSlots } from './connection-slots.js';
import { createCredentialSessions } from './credential-sessions.js';
import { isOurHost, isOurOrigin } from './guard.js';
import type { CredentialWatch, Identify, Refused } from './identify.js';
import { openMcpEndpoint } from './mcp-endpoint.js';
import { createRefusals, type Warn } from './refusals.js';
import { createSentAhead } from './sent-ahead.js';
import { answerUnauthorized, answerUnavailable } from './unauthorized.js';

export interface HttpParts {
  readonly gateway: Gateway;
  readonly common: WireCommon;
  readonly host: string;
  readonly port: number;
  /** Measures spans of time: a clock that nobody can set. */
  readonly now: () => number;
  readonly identify: Identify;
  readonly credentials: CredentialWatch;
  /** What operators do over the admin API. */
  readonly adminApi: AdminApi;
  /** For the operator's log. Never told what was sent as a token. */
  readonly warn: Warn;
}

export interface HttpServer {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

const nowhere = httpAnswer('route.not_found', 'No such address. MCP is at /mcp.');
const tendMs = 15_000;
/** Connections without a valid token make room for each other; the rest are for callers that have one. */
const slotLimits = { unproven: 1024, proven: 3072, reserve: 64 };
const maxConnections = slotLimits.unproven + slotLimits.proven;
/** Past its time a connection is closed: an answer alone would leave it to the client when the slot is free again. */
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 120_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2000,
};
const lastAnswerMs = 500;
/** A connection on which nothing moves for so long is dead: open streams are kept alive more often than that. */
const silenceMs = 150_000;
/** Clients of today send the next request on a connection when they have the answer to the last. */
const maxSentAhead = 16;

/** Serves MCP, health and the admin API. Every route checks Host and Origin; all but health check the token. */
export async function serveHttp(parts: HttpParts): Promise<HttpServer> {
  const bodyRoom = createBodyRoom();
  const lasting = createCredentialSessions(parts.gateway);
  const endpoint = openMcpEndpoint({
    ...parts,
    lasting,
    bodyRoom,
    isAlive: (credential) => parts.credentials.isAlive(credential),
    identifyAgain: callerOf,
  });
  const admin = openAdmin({ ...parts, lasting, bodyRoom, counts: () => ({ sessions: endpoint.sessions() }) });
  const keptOut: Warn = (message, fields) => {
    parts.warn(message, fields);
    parts.credentials.keptOut?.(fields);
  };
  const refusals = createRefusals('refused over HTTP: no token, or a wrong one', keptOut, parts.now);
  const outages = createRefusals(
    'nobody can be let in: the access store gives no answer',
    parts.warn,
    parts.now,
  );
  let isReady = false;
  let port = parts.port;
  void parts.gateway.registry.settle().then(() => {
    isReady = true;
  });

  /** Undefined for nobody, who has been answered then. */
  function callerOf(
    request: IncomingMessage,
    response: ServerResponse,
  ): Caller | undefined | Promise<Caller | undefined> {
    const letIn = (found: Caller | Refused): Caller | undefined => {
      if (!('refused' in found)) return found;
      const { refused: reason, ...which } = found;
      refusals.refused(reason, { address: request.socket.remoteAddress, ...which });
      answerUnauthorized(response);
      return undefined;
    };
    const keepOut = (error: unknown): undefined => {
      outages.refused(codeOf(error));
      answerUnavailable(response);
      return undefined;
    };
    try {
      const found = parts.identify(allOf(request, 'authorization'));
      return found instanceof Promise ? found.then(letIn).catch(keepOut) : letIn(found);
    } catch (error) {
      return keepOut(error);
    }
  }

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
    const asked = callerOf(request, response);
    // No tick is lost where the answer is there at once.
    const caller = asked instanceof Promise ? await asked : asked;
    if (caller === undefined) return;
    slots.prove(request.socket, shareOwner(caller));
    if (path === '/mcp') return endpoint.handle(request, response, caller);
    if (path === '/api' || path.startsWith('/api/')) return admin.handle(request, response, caller, path);
    answerJson(response, nowhere.status, nowhere.body);
  }

  const server = createServer(timeouts);
  const slots = createConnectionSlots(slotLimits);
  server.on('connection', (socket) => slots.add(socket));
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
    if (!socket.writable) return void socket.destroy();
    const timer = setTimeout(() => socket.destroy(), lastAnswerMs).unref();
    socket.once('close', () => clearTimeout(timer));
    socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
  });
  // One more, so that a newcomer can take the place of another.
  server.maxConnections = maxConnections + 1;
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
    outages.tend();
  }, tendMs);
  timer.unref();
  const stopWatching = parts.credentials.onChange(() => endpoint.endVoid());
  return {
    port,
    url: `http://${parts.host.includes(':') ? `[${parts.host}]` : parts.host}:${String(port)}/mcp`,
    async close() {
      clearInterval(timer);
      stopWatching();
      endpoint.close();
      refusals.flush();
      outages.flush();
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

/** Two of a kind make a text that nobody takes for one. */
function allOf({ headersDistinct }: IncomingMessage, name: string): string | undefined {
  return headersDistinct[name]?.join(', ');
}

/** The message of an error may tell where a store is, and with which password. */
function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'internal';
}
