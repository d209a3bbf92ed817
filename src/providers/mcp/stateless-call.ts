import {
  type Call,
  createFault,
  type Exchange,
  faulted,
  type Outcome,
  type Resumption,
} from '../../core/index.js';
import { requestText } from '../../lib/json-rpc.js';
import { createCapabilityFilter } from './client-capabilities.js';
import { headerMismatch, meta, modernVersion } from './discovery.js';
import { duplicateMember, modernOutcomeOf, staleOutcome } from './outcome.js';
import { createParamHeaderReader } from './param-headers.js';
import { isRecord } from './peer.js';
import { type Changes, methodOf, nameOf, paramsFor, traceMeta } from './request-params.js';
import { createRootsAnswers, type RootsRule } from './roots.js';
import type { Rpc } from './rpc.js';
import type { About } from './transport.js';

export interface CallSenderParts {
  readonly rpc: Rpc;
  readonly server: string;
  readonly version: string;
  readonly roots: RootsRule | undefined;
  /** Whether parameters are mirrored into headers. */
  readonly mirrorsParams: boolean;
  /** Called if the server rejected our headers, which means that our knowledge of its tools is outdated. */
  readonly headersRefused: () => void;
}

const maxRounds = 16;
const tooManyRounds = createFault(
  'ask.too_many',
  'The server kept asking for roots without returning a result.',
);

/** Sends the calls of a server with protocol version 2026-07-28, whose requests carry everything about the caller. */
export function createCallSender(
  parts: CallSenderParts,
): (call: Call, exchange: Exchange) => Promise<Outcome> {
  const { rpc, server } = parts;
  const capabilitiesFor = createCapabilityFilter(parts.roots);
  const roots = createRootsAnswers(server, parts.roots);
  const paramHeadersFor = createParamHeaderReader();
  const clientInfo = JSON.stringify({ name: 'tidegate', version: parts.version });

  function metaFor(call: Call, exchange: Exchange, id: number): Changes {
    return {
      progressToken: exchange.wantsProgress ? String(id) : undefined,
      ...traceMeta(call),
      [meta('protocolVersion')]: JSON.stringify(modernVersion),
      [meta('clientInfo')]: clientInfo,
      [meta('clientCapabilities')]: capabilitiesFor(call.client, exchange),
      [meta('logLevel')]: exchange.logLevel && JSON.stringify(exchange.logLevel),
    };
  }

  function aboutOf(call: Call): About {
    const name = nameOf(call.target);
    const paramHeaders = parts.mirrorsParams ? paramHeadersFor(call) : undefined;
    return {
      method: methodOf(call.target),
      ...(name !== undefined && { name }),
      ...(paramHeaders !== undefined && { paramHeaders }),
    };
  }

  /** Requests for roots are answered here, so one call may need several round trips. */
  function sendRound(
    call: Call,
    exchange: Exchange,
    answers: Resumption | undefined,
    round: number,
  ): Promise<Outcome> {
    const id = rpc.nextId();
    const params = paramsFor(call, metaFor(call, exchange, id), changesFor(answers));
    if (params === undefined) return Promise.resolve(duplicateMember());
    const about = aboutOf(call);
    const text = requestText(id, about.method, params);
    const again = (next: Resumption): Promise<Outcome> =>
      round < maxRounds
        ? sendRound(call, exchange, next, round + 1)
        : Promise.resolve(faulted(tooManyRounds));
    return new Promise<Outcome>((resolve) => {
      rpc.carry(id, text, { call, exchange, about }, (reply) => {
        if (reply.kind === 'error' && codeOf(reply.error.value) === headerMismatch) parts.headersRefused();
        const outcome = reply.kind === 'stale' ? staleOutcome(server) : modernOutcomeOf(reply);
        resolve(outcome.kind === 'asks' ? roots.settle(outcome, again) : outcome);
      });
    });
  }

  return (call, exchange) => {
    const given = roots.given(call);
    return given !== undefined && 'code' in given
      ? Promise.resolve(faulted(given))
      : sendRound(call, exchange, given, 1);
  };
}

function codeOf(error: unknown): unknown {
  return isRecord(error) ? error['code'] : undefined;
}

/** The caller's answers to the server's questions. A state is sent only if the server provided one. */
function changesFor(answers: Resumption | undefined): Changes {
  return {
    inputResponses: answers?.responses.text,
    requestState: answers?.state === undefined ? undefined : JSON.stringify(answers.state),
  };
}
