import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { shareOwner } from '../../core/index.js';
import { protocolError } from '../faults.js';
import { answerJson } from './answer-json.js';
import { createBodyRoom } from './body-room.js';
import { httpAnswer } from './http-codes.js';
import { type ConnectionSlots, createConnectionSlots } from './connection-slots.js';
import { chooseWorkspace, type Entered, type Entry } from './choose-workspace.js';
import { isOurHost, isOurOrigin } from './guard.js';
import { type HttpWorkspace, type OpenWorkspace, openWorkspace } from './open-workspace.js';
import { createRefusals, type Refusals, type Warn } from './refusals.js';
import { createChooseByRoots } from './roots/choose-by-roots.js';
import { createSentAhead } from './sent-ahead.js';
import { answerUnauthorized, answerUnavailable } from './unauthorized.js';

export interface HttpParts {
  /** The first is for clients that choose none. Each needs its own folder. */
  readonly workspaces: readonly [HttpWorkspace, ...HttpWorkspace[]];
  readonly host: string;
  readonly port: number;
  /** A monotonic clock. */
  readonly now: () => number;
  /** For the operator's log. Never gets the text of a token. */
  readonly warn: Warn;
}

export interface HttpServer {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

const elsewhere = httpAnswer(
  'workspace.not_found',
  'This gateway does not serve that workspace, or the token is not valid for it.',
);
const tendMs = 15_000;
/**
 * Connections without a valid token compete for their own slots; the others are for callers that have one.
 */
const slotLimits = { unproven: 1024, proven: 3072, reserve: 64 };
const maxConnections = slotLimits.unproven + slotLimits.proven;
/**
 * After a timeout, close the connection: with a response alone, the client would decide when the slot is
 * free.
 */
const timeouts = {
  headersTimeout: 10_000,
  requestTimeout: 120_000,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 2000,
};
const lastAnswerMs = 500;
/** A connection without traffic for this long is dead: open streams send keep-alives more often. */
const silenceMs = 150_000;
/** Current clients wait for an answer before they send the next request on a connection. */
const maxSentAhead = 16;

/**
 * Serve MCP, health and the admin API. Every route checks Host and Origin; all but health check the token.
 */
export async function serveHttp(parts: HttpParts): Promise<HttpServer> {
  const site = openSite(parts);
  const server = createHttpServer(site);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(parts.port, parts.host, resolve);
  });
  const { port } = server.address() as AddressInfo;
  site.port = port;
  const timer = setInterval(() => {
    for (const workspace of site.workspaces) workspace.tend();
    site.refusals.tend();
    site.outages.tend();
    site.byRoots?.tend();
  }, tendMs);
  timer.unref();
  return {
    port,
    url: `http://${parts.host.includes(':') ? `[${parts.host}]` : parts.host}:${String(port)}/mcp`,
    async close() {
      clearInterval(timer);
      for (const workspace of site.workspaces) workspace.close();
      site.refusals.flush();
      site.outages.flush();
      const closed = new Promise((resolve) => server.close(resolve));
      setTimeout(() => server.closeAllConnections(), 50).unref();
      await closed;
    },
  };
}

/** What the requests of one address share. */
interface Site {
  readonly host: string;
  /** The actual port, once the server listens. */
  port: number;
  readonly workspaces: readonly [OpenWorkspace, ...OpenWorkspace[]];
  readonly slots: ConnectionSlots;
  /** Callers without a valid token. */
  readonly refusals: Refusals;
  /** Callers that could not be identified. */
  readonly outages: Refusals;
  readonly byRoots: ReturnType<typeof createChooseByRoots> | undefined;
}

function openSite({ workspaces: [first, ...others], host, port, now, warn }: HttpParts): Site {
  const bodyRoom = createBodyRoom();
  const byRoots =
    others.length === 0
      ? undefined
      : createChooseByRoots({
          workspaces: (): readonly OpenWorkspace[] => site.workspaces,
          server: first.common.server,
          now,
          warn,
        });
  const open = (workspace: HttpWorkspace): OpenWorkspace =>
    openWorkspace({
      workspace,
      byRoots: workspace === first ? byRoots : undefined,
      now,
      bodyRoom,
      identifyAgain: (request, response) =>
        enter(site, request, response, (again) => {
          if (again.workspace.folder === workspace.folder) return again.caller;
          answerJson(response, elsewhere.status, elsewhere.body);
          return undefined;
        }),
    });
  const warnOfRefusals: Warn = (message, fields) => {
    warn(message, fields);
    first.credentials.keptOut?.(fields);
  };
  const site: Site = {
    host,
    port,
    workspaces: [open(first), ...others.map(open)],
    slots: createConnectionSlots(slotLimits),
    refusals: createRefusals('refused over HTTP: missing or invalid token', warnOfRefusals, now),
    outages: createRefusals('cannot identify callers: the access store is unavailable', warn, now),
    byRoots,
  };
  return site;
}

function createHttpServer(site: Site): Server {
  const server = createServer(timeouts);
  server.on('connection', (socket) => site.slots.add(socket));
  const sentAhead = createSentAhead(maxSentAhead);
  server.on('request', (request, response) => {
    response.on('error', () => response.destroy());
    if (!sentAhead.admit(request, response)) return;
    route(site, request, response).catch(() => {
      if (response.headersSent) response.destroy();
      else
        answerJson(
          response,
          500,
          protocolError(undefined, -32603, 'The gateway failed to answer this request.'),
        );
    });
  });
  server.on('clientError', (_error, socket) => {
    if (!socket.writable) return void socket.destroy();
    const timer = setTimeout(() => socket.destroy(), lastAnswerMs).unref();
    socket.once('close', () => clearTimeout(timer));
    socket.end('HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n');
  });
  // One more, so that a new connection can replace another.
  server.maxConnections = maxConnections + 1;
  // Node drops headers beyond a count, and with them what we check. Their size is limited anyway.
  server.maxHeadersCount = 0;
  server.setTimeout(silenceMs);
  return server;
}

async function route(site: Site, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const rule = { host: site.host, port: site.port, address: request.socket.localAddress };
  if (!isOurHost(soleHost(request), rule) || !isOurOrigin(request.headers.origin, rule)) {
    return answerJson(response, 403, protocolError(undefined, -32600, 'Forbidden: foreign Host or Origin'));
  }
  const path = (request.url ?? '/').split('?')[0] ?? '/';
  if (path === '/healthz') return answerJson(response, 200, '{"status":"ok"}');
  if (path === '/readyz') {
    const isReady = site.workspaces.every((workspace) => workspace.isReady());
    return answerJson(response, isReady ? 200 : 503, `{"status":"${isReady ? 'ready' : 'starting'}"}`);
  }
  const asked = enter(site, request, response, (entered) => entered);
  // Don't lose a tick if the answer is known already.
  const entered = asked instanceof Promise ? await asked : asked;
  if (entered === undefined) return;
  site.slots.prove(request.socket, shareOwner(entered.caller));
  await entered.workspace.handle(request, response, entered.caller, path);
}

/** Undefined: the caller was rejected, and the request has been answered. */
function enter<T>(
  { workspaces, refusals, outages }: Site,
  request: IncomingMessage,
  response: ServerResponse,
  use: (entered: Entered) => T,
): T | undefined | Promise<T | undefined> {
  const letIn = (entry: Entry): T | undefined => {
    if (entry === 'elsewhere') answerJson(response, elsewhere.status, elsewhere.body);
    else if ('refused' in entry) {
      const { refused: reason, ...which } = entry;
      refusals.refused(reason, { address: request.socket.remoteAddress, ...which });
      answerUnauthorized(response);
    } else return use(entry);
    return undefined;
  };
  const keepOut = (error: unknown): undefined => {
    outages.refused(codeOf(error));
    answerUnavailable(response);
    return undefined;
  };
  try {
    const found = chooseWorkspace(workspaces, request);
    return found instanceof Promise ? found.then(letIn).catch(keepOut) : letIn(found);
  } catch (error) {
    return keepOut(error);
  }
}

/** If there are two, Node uses the first, but a proxy may use the other. */
function soleHost({ headersDistinct }: IncomingMessage): string | undefined {
  const { host = [] } = headersDistinct;
  return host.length === 1 ? host[0] : undefined;
}

/** An error message may contain the address and password of the store. */
function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : 'internal';
}
