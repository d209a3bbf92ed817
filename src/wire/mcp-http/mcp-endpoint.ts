import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Gateway } from '../../gateway/index.js';
import {
  emptyObject,
  type Frame,
  type Principal,
  principalKey,
  readFrame,
  type Session,
} from '../../kernel/index.js';
import { legacyVersions } from '../era-legacy/codec.js';
import { hasEnvelope, metaKeys, metaOf, modernVersion } from '../era-modern/codec.js';
import { protocolError } from '../faults.js';
import { createInFlight } from '../framing/in-flight.js';
import { createTurnstile, type Turnstile } from '../framing/turnstile.js';
import { maxMessageBytes, maxRunning, maxWaiting, supportedVersions, type WireCommon } from '../identity.js';
import { openModernPeer } from '../modern-peer.js';
import { answerJson, createHttpLine, type HttpLine } from './http-line.js';
import { openLegacySessions } from './legacy-sessions.js';
import { headerProblem, paramProblem } from './modern-headers.js';
import { type Body, readBody } from './read-body.js';
import { createUnreadLedger } from './unread-ledger.js';

/** The one MCP address, for both eras. */
export interface McpEndpoint {
  handle(request: IncomingMessage, response: ServerResponse, principal: Principal): Promise<void>;
  tend(): void;
  close(): void;
  sessions(): number;
}

const maxTurnstiles = 10_000;
const maxUnreadBytes = 64 * 1024 * 1024;

export function openMcpEndpoint(gateway: Gateway, common: WireCommon, now: () => number): McpEndpoint {
  const sessions = openLegacySessions(gateway, common, now);
  const unread = createUnreadLedger(maxUnreadBytes, now);
  const waiting = new Set<HttpLine>();
  const streams = new Set<() => void>();
  const turnstiles = new Map<string, Turnstile>();

  function turnstileOf(principal: Principal): Turnstile {
    const key = principalKey(principal);
    let turnstile = turnstiles.get(key);
    if (turnstile === undefined) {
      if (turnstiles.size >= maxTurnstiles) turnstiles.clear();
      turnstile = createTurnstile(maxRunning, maxWaiting);
      turnstiles.set(key, turnstile);
    }
    return turnstile;
  }

  function openLine(
    request: IncomingMessage,
    response: ServerResponse,
    headers: Readonly<Record<string, string>>,
  ): HttpLine {
    const line = createHttpLine(response, headers, acceptsStream(request), (bytes) =>
      unread.wrote(response, bytes),
    );
    waiting.add(line);
    response.once('close', () => waiting.delete(line));
    return line;
  }

  function modern(
    frame: Frame,
    request: IncomingMessage,
    response: ServerResponse,
    principal: Principal,
  ): void {
    const line = openLine(request, response, {});
    const session: Session = { id: `credential:${principalKey(principal)}`, principal, scope: 'credential' };
    if (frame.kind === 'request') {
      const problem = modernProblem(frame, request, gateway, session);
      if (problem !== undefined) {
        return line.end(protocolError(frame.id, -32020, `Header mismatch: ${problem}`), 400);
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
      turnstile: turnstileOf(principal),
      newRequestId: common.newRequestId,
    });
    const finish = (): void => peer.close();
    streams.add(finish);
    response.once('close', () => {
      streams.delete(finish);
      // In this era, closing the stream is how a client cancels.
      inFlight.cancelAll();
    });
    peer.receive(frame, line);
  }

  function legacy(
    frame: Frame,
    request: IncomingMessage,
    response: ServerResponse,
    principal: Principal,
  ): void {
    const version = request.headers['mcp-protocol-version'];
    const isOpening = frame.kind === 'request' && frame.method === 'initialize';
    if (version !== undefined && !isOpening && !legacyVersions.some((known) => known === version)) {
      const message = `Bad Request: unsupported MCP-Protocol-Version ${String(version)}`;
      return answerJson(response, 400, protocolError(undefined, -32600, message));
    }
    const given = request.headers['mcp-session-id'];
    if (isOpening && given === undefined) return openSession(frame, request, response, principal);
    if (typeof given !== 'string') {
      const message = 'Bad Request: Mcp-Session-Id header is required; send initialize first';
      return answerJson(response, 400, protocolError(undefined, -32600, message));
    }
    const session = sessions.find(given, principal);
    if (session === undefined)
      return answerJson(response, 404, protocolError(undefined, -32001, 'Session not found'));
    session.peer.receive(frame, openLine(request, response, {}));
  }

  function openSession(
    frame: Frame,
    request: IncomingMessage,
    response: ServerResponse,
    principal: Principal,
  ): void {
    const session = sessions.create(principal);
    if (session === undefined) {
      return answerJson(
        response,
        503,
        protocolError(undefined, -32603, 'Too many sessions: try again later'),
      );
    }
    session.peer.receive(frame, openLine(request, response, { 'mcp-session-id': session.id }));
  }

  async function post(
    request: IncomingMessage,
    response: ServerResponse,
    principal: Principal,
  ): Promise<void> {
    if (!isJson(request)) {
      return answerJson(
        response,
        415,
        protocolError(undefined, -32600, 'Content-Type must be application/json'),
      );
    }
    const body = await readBody(request, maxMessageBytes);
    if (!body.ok) return refuseBody(response, body.reason);
    const frame = readFrame(body.text);
    if (frame.kind === 'bad')
      return answerJson(response, 400, protocolError(frame.id, frame.code, frame.reason));
    if (isModern(frame, request)) modern(frame, request, response, principal);
    else legacy(frame, request, response, principal);
  }

  function get(request: IncomingMessage, response: ServerResponse, principal: Principal): void {
    const session = sessions.find(String(request.headers['mcp-session-id'] ?? ''), principal);
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

  return {
    async handle(request, response, principal) {
      if (request.method === 'POST') return post(request, response, principal);
      if (request.method === 'GET') return get(request, response, principal);
      if (request.method !== 'DELETE' || request.headers['mcp-session-id'] === undefined)
        return notAllowed(response);
      const isEnded = sessions.end(String(request.headers['mcp-session-id']), principal);
      if (isEnded) response.writeHead(200).end();
      else answerJson(response, 404, protocolError(undefined, -32001, 'Session not found'));
    },
    tend() {
      sessions.tend();
      for (const line of waiting) line.keepAlive();
    },
    close() {
      for (const finish of [...streams]) finish();
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
  // Without a version in the body there is nothing to compare with: the missing envelope is the error.
  if (typeof version !== 'string') return undefined;
  const params = frame.params ?? emptyObject;
  const problem = headerProblem(request.headers, frame.method, params, version);
  if (problem !== undefined || frame.method !== 'tools/call') return problem;
  const { name } = params.value as { readonly name?: unknown };
  const tool = typeof name === 'string' ? gateway.describe(session, name) : undefined;
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
  const message = `Invalid request: the body is longer than ${String(maxMessageBytes)} bytes`;
  answerJson(response, 413, protocolError(undefined, -32600, message), { connection: 'close' });
}

function notAllowed(response: ServerResponse): void {
  answerJson(response, 405, protocolError(undefined, -32600, 'Method not allowed'), {
    allow: 'GET, POST, DELETE',
  });
}
