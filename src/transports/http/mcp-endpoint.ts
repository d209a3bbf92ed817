import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Gateway } from '../../gateway/index.js';
import { type Caller, type Session, shareOwner } from '../../core/index.js';
import { emptyObject } from '../../lib/json-text.js';
import { type Frame, clientBounds, readFrame } from '../../lib/json-rpc.js';
import { legacyVersions } from '../stateful/codec.js';
import { hasEnvelope, metaKeys, metaOf, modernVersion } from '../stateless/codec.js';
import { tooMany } from '../answers.js';
import { protocolError } from '../faults.js';
import { createShares } from '../../lib/shares.js';
import { createInFlight } from '../framing/in-flight.js';
import { createSemaphore, type Semaphore } from '../../lib/semaphore.js';
import { maxMessageBytes, maxRunning, maxWaiting, supportedVersions, type WireCommon } from '../identity.js';
import { openModernPeer } from '../stateless/peer.js';
import { answerJson } from './answer-json.js';
import type { BodyRoom } from './body-room.js';
import type { CredentialSessions } from './credential-sessions.js';
import { createHttpLine, type HttpLine } from './http-line.js';
import { withMemory } from './identify.js';
import { openLegacySessions } from './legacy-sessions.js';
import { headerProblem, paramProblem } from './modern-headers.js';
import { createOpenAnswers } from './open-answers.js';
import { type Body, readBody } from './read-body.js';
import { createUnreadLedger } from './unread-ledger.js';

/** The MCP address, for all protocol versions. */
export interface McpEndpoint {
  handle(request: IncomingMessage, response: ServerResponse, caller: Caller): Promise<void>;
  /** End the sessions and streams of credentials that have become invalid. */
  endVoid(): void;
  tend(): void;
  close(): void;
  sessions(): number;
}

const maxTurnstiles = 10_000;
/** As many as there are connections: several on one would wait for each other. */
const maxListens = 3072;
const reservedListens = 64;
const maxUnreadBytes = 64 * 1024 * 1024;

export interface EndpointParts {
  readonly gateway: Gateway;
  readonly common: WireCommon;
  readonly lasting: CredentialSessions;
  readonly now: () => number;
  readonly bodyRoom: BodyRoom;
  readonly isAlive: (credential: string) => boolean;
  /** Identify the caller again. Undefined: the credential is invalid, and the request is already answered. */
  readonly identifyAgain: (request: IncomingMessage, response: ServerResponse) => Identified;
}

type Identified = Caller | undefined | Promise<Caller | undefined>;

/** After a slower body, the credential from the headers may no longer be valid. */
const lateMs = 20;

export function openMcpEndpoint({
  gateway,
  common,
  lasting,
  now,
  bodyRoom,
  isAlive,
  identifyAgain,
}: EndpointParts): McpEndpoint {
  const sessions = openLegacySessions(gateway, common, now);
  const unread = createUnreadLedger(maxUnreadBytes, now);
  const answers = createOpenAnswers();
  const semaphores = new Map<string, Semaphore>();
  const listens = createShares(maxListens, reservedListens);

  function semaphoreOf({ credential }: Caller): Semaphore {
    let semaphore = semaphores.get(credential);
    if (semaphore === undefined) {
      if (semaphores.size >= maxTurnstiles) semaphores.clear();
      semaphore = createSemaphore(maxRunning, maxWaiting);
      semaphores.set(credential, semaphore);
    }
    return semaphore;
  }

  function openLine(
    request: IncomingMessage,
    response: ServerResponse,
    caller: Pick<Caller, 'principal' | 'chain'>,
    headers: Readonly<Record<string, string>> = {},
  ): HttpLine {
    const owner = shareOwner(caller);
    return createHttpLine(response, headers, acceptsStream(request), (bytes) =>
      unread.wrote(response, bytes, owner),
    );
  }

  async function modern(
    frame: Frame,
    request: IncomingMessage,
    response: ServerResponse,
    { principal, chain, credential }: Caller,
  ): Promise<void> {
    const session = lasting.enter('modern', { principal, chain, credential });
    // The headers are checked against the visible tools, so these must be up to date.
    await gateway.registry.refresh(session);
    const line = openLine(request, response, { principal, chain });
    if (frame.kind === 'request') {
      const problem = modernProblem(frame, request, gateway, session);
      if (problem !== undefined) {
        return line.end(protocolError(frame.id, -32020, `Header mismatch: ${problem}`), 400);
      }
      if (frame.method === 'subscriptions/listen') {
        const giveBack = listens.take(shareOwner({ principal, chain }));
        if (typeof giveBack === 'string') return line.end(tooMany(frame.id));
        response.once('close', giveBack);
      }
    }
    const inFlight = createInFlight();
    const peer = openModernPeer({
      gateway,
      session,
      server: common.server,
      supportedVersions,
      pager: common.pagers.modern,
      inFlight,
      semaphore: semaphoreOf({ principal, chain, credential }),
      newRequestId: common.newRequestId,
    });
    const cancel = (): void => inFlight.cancelAll();
    answers.add(response, { owner: credential, line, cancel, finish: () => peer.close() });
    // A stateless client cancels by closing the stream.
    response.once('close', cancel);
    peer.receive(frame, line);
  }

  function legacy(frame: Frame, request: IncomingMessage, response: ServerResponse, caller: Caller): void {
    const version = request.headers['mcp-protocol-version'];
    const isOpening = frame.kind === 'request' && frame.method === 'initialize';
    if (version !== undefined && !isOpening && !legacyVersions.some((known) => known === version)) {
      const message = `Bad Request: unsupported MCP-Protocol-Version ${String(version)}`;
      return answerJson(response, 400, protocolError(undefined, -32600, message));
    }
    const given = request.headers['mcp-session-id'];
    if (isOpening && given === undefined) return openSession(frame, request, response, caller);
    if (typeof given !== 'string') {
      const message = 'Bad Request: Mcp-Session-Id header is required; send initialize first';
      return answerJson(response, 400, protocolError(undefined, -32600, message));
    }
    const session = sessions.find(given, caller);
    if (session === undefined)
      return answerJson(response, 404, protocolError(undefined, -32001, 'Session not found'));
    const line = openLine(request, response, caller);
    answers.add(response, { owner: caller.credential, line });
    session.peer.receive(frame, line);
  }

  function openSession(
    frame: Frame,
    request: IncomingMessage,
    response: ServerResponse,
    caller: Caller,
  ): void {
    const session = sessions.create(caller);
    if (session === undefined) {
      return answerJson(
        response,
        503,
        protocolError(undefined, -32603, 'Too many sessions. Try again later.'),
      );
    }
    const line = openLine(request, response, caller, { 'mcp-session-id': session.id });
    answers.add(response, { owner: caller.credential, line });
    session.peer.receive(frame, line);
  }

  async function post(request: IncomingMessage, response: ServerResponse, shown: Caller): Promise<void> {
    if (!isJson(request)) {
      return answerJson(
        response,
        415,
        protocolError(undefined, -32600, 'Content-Type must be application/json'),
      );
    }
    const began = performance.now();
    const body = await readBody(request, maxMessageBytes, bodyRoom.for(shown, response));
    if (!body.ok) return refuseBody(response, body.reason);
    const isLate = performance.now() - began > lateMs;
    const caller = isLate ? await identifyAgain(request, response) : shown;
    if (caller === undefined) return;
    const frame = readFrame(body.text, clientBounds);
    if (frame.kind === 'bad')
      return answerJson(response, 400, protocolError(frame.id, frame.code, frame.reason));
    if (isModern(frame, request)) await modern(frame, request, response, caller);
    else legacy(frame, request, response, caller);
  }

  function get(request: IncomingMessage, response: ServerResponse, caller: Caller): void {
    const session = sessions.find(String(request.headers['mcp-session-id'] ?? ''), caller);
    if (request.headers['mcp-session-id'] === undefined) return notAllowed(response);
    if (session === undefined)
      return answerJson(response, 404, protocolError(undefined, -32001, 'Session not found'));
    if (!acceptsStream(request)) {
      return answerJson(
        response,
        406,
        protocolError(undefined, -32600, 'Accept must include text/event-stream'),
      );
    }
    session.listen(response);
  }

  function endVoid(): void {
    const isGood = withMemory(isAlive);
    answers.endVoid(isGood);
    sessions.endVoid(isGood);
    lasting.endVoid(isGood);
  }

  return {
    async handle(request, response, caller) {
      if (request.method === 'POST') return post(request, response, caller);
      if (request.method === 'GET') return get(request, response, caller);
      if (request.method !== 'DELETE' || request.headers['mcp-session-id'] === undefined)
        return notAllowed(response);
      const isEnded = sessions.end(String(request.headers['mcp-session-id']), caller);
      if (isEnded) response.writeHead(200).end();
      else answerJson(response, 404, protocolError(undefined, -32001, 'Session not found'));
    },
    endVoid,
    tend() {
      endVoid();
      sessions.tend();
      answers.keepAlive();
    },
    close() {
      answers.finishAll();
      sessions.close();
    },
    sessions: () => sessions.size,
  };
}

function isModern(frame: Frame, request: IncomingMessage): boolean {
  if (frame.kind !== 'request' && frame.kind !== 'notification') return false;
  if (hasEnvelope(frame.params) || request.headers['mcp-protocol-version'] === modernVersion) return true;
  return frame.method === 'server/discover' || frame.method === 'subscriptions/listen';
}

function modernProblem(
  frame: Extract<Frame, { kind: 'request' }>,
  request: IncomingMessage,
  gateway: Gateway,
  session: Session,
): string | undefined {
  const version = metaOf(frame.params)?.[metaKeys.protocolVersion];
  // Without a version in the body there is nothing to compare: the missing envelope is the error.
  if (typeof version !== 'string') return undefined;
  const params = frame.params ?? emptyObject;
  const problem = headerProblem(request.headers, frame.method, params, version);
  if (problem !== undefined || frame.method !== 'tools/call') return problem;
  const { name } = params.value as { readonly name?: unknown };
  const tool = typeof name === 'string' ? gateway.registry.describe(session, name) : undefined;
  return tool && tool.definition.text.includes('x-mcp-header')
    ? paramProblem(request.headers, tool, params)
    : undefined;
}

function acceptsStream(request: IncomingMessage): boolean {
  const { accept } = request.headers;
  return accept === undefined || accept.includes('text/event-stream') || accept.includes('*/*');
}

function isJson(request: IncomingMessage): boolean {
  return /^application\/json\s*(;|$)/i.test(request.headers['content-type'] ?? '');
}

function refuseBody(response: ServerResponse, reason: Extract<Body, { ok: false }>['reason']): void {
  if (reason === 'cut') return void response.destroy();
  if (reason === 'encoding') {
    return answerJson(
      response,
      400,
      protocolError(undefined, -32700, 'Parse error: the body is not valid UTF-8'),
    );
  }
  if (reason === 'busy') {
    const busy = 'Too many of your requests are still in progress. Send this request again later.';
    return answerJson(response, 503, protocolError(undefined, -32603, busy), { connection: 'close' });
  }
  const message = `Invalid request: the body exceeds ${String(maxMessageBytes)} bytes`;
  answerJson(response, 413, protocolError(undefined, -32600, message), { connection: 'close' });
}

function notAllowed(response: ServerResponse): void {
  answerJson(response, 405, protocolError(undefined, -32600, 'Method not allowed'), {
    allow: 'GET, POST, DELETE',
  });
}
