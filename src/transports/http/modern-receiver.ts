import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Caller, type Session, shareOwner } from '../../core/index.js';
import type { Gateway } from '../../gateway/index.js';
import { emptyObject } from '../../lib/json-text.js';
import type { Frame } from '../../lib/json-rpc.js';
import { createSemaphore, type Semaphore } from '../../lib/semaphore.js';
import { createShares } from '../../lib/shares.js';
import { tooMany } from '../answers.js';
import { protocolError } from '../faults.js';
import { createInFlight } from '../framing/in-flight.js';
import { maxRunning, maxWaiting, supportedVersions, type WireCommon } from '../identity.js';
import { metaKeys, metaOf } from '../stateless/codec.js';
import { openModernPeer } from '../stateless/peer.js';
import type { CredentialSessions } from './credential-sessions.js';
import type { HttpLine } from './http-line.js';
import { headerProblem, paramProblem } from './modern-headers.js';
import type { OpenAnswers } from './open-answers.js';

/** Receives one message of a stateless client. */
export type ReceiveModern = (
  frame: Frame,
  request: IncomingMessage,
  response: ServerResponse,
  caller: Caller,
) => Promise<void>;

export type OpenLine = (
  request: IncomingMessage,
  response: ServerResponse,
  caller: Pick<Caller, 'principal' | 'chain'>,
  headers?: Readonly<Record<string, string>>,
) => HttpLine;

export interface ModernParts {
  readonly gateway: Gateway;
  readonly common: WireCommon;
  readonly lasting: CredentialSessions;
  readonly answers: OpenAnswers;
  readonly openLine: OpenLine;
}

const maxSemaphores = 10_000;
/** As many as there are connections, because requests on one connection wait for each other. */
const maxListens = 3072;
const reservedListens = 64;

export function createModernReceiver({
  gateway,
  common,
  lasting,
  answers,
  openLine,
}: ModernParts): ReceiveModern {
  const semaphoreOf = semaphorePerCredential();
  const listens = createShares(maxListens, reservedListens);

  return async (frame, request, response, { principal, chain, credential }) => {
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
      semaphore: semaphoreOf(credential),
      newRequestId: common.newRequestId,
    });
    const cancel = (): void => inFlight.cancelAll();
    answers.add(response, { owner: credential, line, cancel, finish: () => peer.close() });
    // A stateless client cancels by closing the stream.
    response.once('close', cancel);
    peer.receive(frame, line);
  };
}

function semaphorePerCredential(): (credential: string) => Semaphore {
  const semaphores = new Map<string, Semaphore>();
  return (credential) => {
    let semaphore = semaphores.get(credential);
    if (semaphore === undefined) {
      if (semaphores.size >= maxSemaphores) semaphores.clear();
      semaphore = createSemaphore(maxRunning, maxWaiting);
      semaphores.set(credential, semaphore);
    }
    return semaphore;
  };
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
