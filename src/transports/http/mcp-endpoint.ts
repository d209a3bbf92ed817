import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Gateway } from '../../gateway/index.js';
import { type Caller, shareOwner } from '../../core/index.js';
import { type Frame, clientBounds, readFrame } from '../../lib/json-rpc.js';
import { legacyVersions } from '../stateful/codec.js';
import { hasEnvelope, modernVersion } from '../stateless/codec.js';
import { protocolError } from '../faults.js';
import { maxMessageBytes, type WireCommon } from '../identity.js';
import { answerJson } from './answer-json.js';
import type { BodyRoom } from './body-room.js';
import type { CredentialSessions } from './credential-sessions.js';
import { createHttpLine } from './http-line.js';
import { withMemory } from './identify.js';
import { type LegacySessions, openLegacySessions, type Unplaced } from './legacy-sessions.js';
import { createModernReceiver, type OpenLine, type ReceiveModern } from './modern-receiver.js';
import { answerNoSession } from './no-session.js';
import { createOpenAnswers, type OpenAnswers } from './open-answers.js';
import { type Body, readBody } from './read-body.js';
import type { ChooseByRoots } from './roots/by-roots.js';
import type { SessionPeer } from './roots/undecided-peer.js';
import { createUnreadLedger } from './unread-ledger.js';

/** The MCP address, for all protocol versions. */
export interface McpEndpoint {
  handle(request: IncomingMessage, response: ServerResponse, caller: Caller): Promise<void>;
  /** Takes over a session that the client's roots lead here. Undefined: too many sessions. */
  takeOver(caller: Caller, moved: Pick<Unplaced, 'id' | 'push'>): SessionPeer | undefined;
  isMovedHere(id: string, credential: string): boolean;
  /** Handles a request of such a session. `frame` is the body of a POST. */
  proceed(request: IncomingMessage, response: ServerResponse, caller: Caller, frame?: Frame): MaybeAsync;
  /** End the sessions and streams of credentials that have become invalid. */
  endVoid(): void;
  tend(): void;
  close(): void;
  sessions(): number;
}

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
  /** For the first of several workspaces. */
  readonly byRoots?: ChooseByRoots | undefined;
}

type MaybeAsync = void | Promise<void>;
type Identified = Caller | undefined | Promise<Caller | undefined>;

/** After a slower body, the credential from the headers may no longer be valid. */
const lateMs = 20;

interface Endpoint extends EndpointParts {
  readonly sessions: LegacySessions;
  readonly answers: OpenAnswers;
  readonly openLine: OpenLine;
  readonly receiveModern: ReceiveModern;
}

export function openMcpEndpoint(parts: EndpointParts): McpEndpoint {
  const sessions = openLegacySessions(parts.gateway, parts.common, parts.now);
  const answers = createOpenAnswers();
  const openLine = lineOpener(parts.now);
  const receiveModern = createModernReceiver({ ...parts, answers, openLine });
  const endpoint: Endpoint = { ...parts, sessions, answers, openLine, receiveModern };

  function endVoid(): void {
    const isGood = withMemory(parts.isAlive);
    answers.endVoid(isGood);
    sessions.endVoid(isGood);
    parts.lasting.endVoid(isGood);
  }

  return {
    async handle(request, response, caller) {
      if (request.method === 'POST') return post(endpoint, request, response, caller);
      if (request.method === 'GET') return get(endpoint, request, response, caller);
      if (request.method !== 'DELETE' || request.headers['mcp-session-id'] === undefined)
        return notAllowed(response);
      return end(endpoint, request, response, caller);
    },
    takeOver: (caller, moved) => sessions.create(caller, { moved })?.peer,
    isMovedHere: (id, credential) => sessions.isMovedHere(id, credential),
    proceed(request, response, caller, frame) {
      if (frame !== undefined) return receiveLegacy(endpoint, frame, request, response, caller);
      return request.method === 'GET'
        ? get(endpoint, request, response, caller)
        : end(endpoint, request, response, caller);
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

function lineOpener(now: () => number): OpenLine {
  const unread = createUnreadLedger(maxUnreadBytes, now);
  return (request, response, caller, headers = {}) => {
    const owner = shareOwner(caller);
    return createHttpLine(response, headers, acceptsStream(request), (bytes) =>
      unread.wrote(response, bytes, owner),
    );
  };
}

async function post(
  endpoint: Endpoint,
  request: IncomingMessage,
  response: ServerResponse,
  shown: Caller,
): Promise<void> {
  if (!isJson(request)) {
    return answerJson(
      response,
      415,
      protocolError(undefined, -32600, 'Content-Type must be application/json'),
    );
  }
  const began = performance.now();
  const body = await readBody(request, maxMessageBytes, endpoint.bodyRoom.for(shown, response));
  if (!body.ok) return refuseBody(response, body.reason);
  const isLate = performance.now() - began > lateMs;
  const caller = isLate ? await endpoint.identifyAgain(request, response) : shown;
  if (caller === undefined) return;
  const frame = readFrame(body.text, clientBounds);
  if (frame.kind === 'bad')
    return answerJson(response, 400, protocolError(frame.id, frame.code, frame.reason));
  if (isModern(frame, request)) await endpoint.receiveModern(frame, request, response, caller);
  else await receiveLegacy(endpoint, frame, request, response, caller);
}

function receiveLegacy(
  endpoint: Endpoint,
  frame: Frame,
  request: IncomingMessage,
  response: ServerResponse,
  caller: Caller,
): MaybeAsync {
  const version = request.headers['mcp-protocol-version'];
  const isOpening = frame.kind === 'request' && frame.method === 'initialize';
  if (version !== undefined && !isOpening && !legacyVersions.some((known) => known === version)) {
    const message = `Bad Request: unsupported MCP-Protocol-Version ${String(version)}`;
    return answerJson(response, 400, protocolError(undefined, -32600, message));
  }
  const given = request.headers['mcp-session-id'];
  if (isOpening && given === undefined) return openSession(endpoint, frame, request, response, caller);
  if (typeof given !== 'string') {
    const message = 'Bad Request: Mcp-Session-Id header is required; send initialize first';
    return answerJson(response, 400, protocolError(undefined, -32600, message));
  }
  const session = endpoint.sessions.find(given, caller);
  if (session === undefined) return elsewhere(endpoint, request, response, caller, frame);
  const line = endpoint.openLine(request, response, caller);
  endpoint.answers.add(response, { owner: caller.credential, line });
  session.peer.receive(frame, line, request);
}

function openSession(
  { sessions, openLine, answers, byRoots }: Endpoint,
  frame: Frame,
  request: IncomingMessage,
  response: ServerResponse,
  caller: Caller,
): void {
  const undecided = byRoots?.undecided(frame, request, caller);
  const session = sessions.create(caller, undecided && { undecided });
  if (session === undefined) {
    return answerJson(response, 503, protocolError(undefined, -32603, 'Too many sessions. Try again later.'));
  }
  const line = openLine(request, response, caller, { 'mcp-session-id': session.id });
  answers.add(response, { owner: caller.credential, line });
  session.peer.receive(frame, line, request);
}

function get(
  endpoint: Endpoint,
  request: IncomingMessage,
  response: ServerResponse,
  caller: Caller,
): MaybeAsync {
  const session = endpoint.sessions.find(String(request.headers['mcp-session-id'] ?? ''), caller);
  if (request.headers['mcp-session-id'] === undefined) return notAllowed(response);
  if (session === undefined) return elsewhere(endpoint, request, response, caller);
  if (!acceptsStream(request)) {
    return answerJson(
      response,
      406,
      protocolError(undefined, -32600, 'Accept must include text/event-stream'),
    );
  }
  session.listen(response);
}

function end(
  endpoint: Endpoint,
  request: IncomingMessage,
  response: ServerResponse,
  caller: Caller,
): MaybeAsync {
  const isEnded = endpoint.sessions.end(String(request.headers['mcp-session-id']), caller);
  if (!isEnded) return elsewhere(endpoint, request, response, caller);
  response.writeHead(200).end();
}

/** A session that isn't here may have moved to the workspace of its client's roots. */
function elsewhere(
  { byRoots }: Endpoint,
  request: IncomingMessage,
  response: ServerResponse,
  caller: Caller,
  frame?: Frame,
): MaybeAsync {
  return byRoots?.forward(request, response, caller, frame) ?? answerNoSession(response);
}

function isModern(frame: Frame, request: IncomingMessage): boolean {
  if (frame.kind !== 'request' && frame.kind !== 'notification') return false;
  if (hasEnvelope(frame.params) || request.headers['mcp-protocol-version'] === modernVersion) return true;
  return frame.method === 'server/discover' || frame.method === 'subscriptions/listen';
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
