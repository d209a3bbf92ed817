import {
  type Call,
  createFault,
  type Exchange,
  type FaultCode,
  faulted,
  type Outcome,
  type Resumption,
} from '../../core/index.js';
import type { Log } from '../../ports/log.js';
import { requestText } from '../../lib/json-rpc.js';
import { withMembers } from '../../lib/json-text.js';
import { createCapabilityFilter } from './client-capabilities.js';
import type { Reply } from './in-flight.js';
import type { About } from './transport.js';
import type { Clock } from './options.js';
import { describeReply, duplicateMember, modernOutcomeOf, staleOutcome } from './outcome.js';
import { createParamHeaderReader } from './param-headers.js';
import {
  isRecord,
  listMethods,
  ownRequestMs,
  type Peer,
  readAbilities,
  type ServerAbilities,
} from './peer.js';
import { type Changes, methodOf, nameOf, paramsFor, traceMeta } from './request-params.js';
import type { Rpc } from './rpc.js';
import { createRootsAnswers, type RootsRule } from './roots.js';
import { openSubscription, type Subscription } from './subscription.js';

const modernVersion = '2026-07-28';

export interface ModernParts {
  readonly rpc: Rpc;
  readonly server: string;
  readonly version: string;
  readonly roots: RootsRule | undefined;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether parameters are mirrored into headers. */
  readonly mirrorsParams: boolean;
  /** Called if the server rejected our headers, which means that our knowledge of its tools is outdated. */
  readonly headersRefused: () => void;
}

/** The result of `server/discover`. */
export type Discovery =
  | {
      readonly kind: 'modern';
      readonly abilities: ServerAbilities;
      readonly instructions: string | undefined;
    }
  /** Not a modern server, or one that prefers an older protocol version. */
  | { readonly kind: 'other'; readonly detail: string }
  /** It supports the version that it refused, so try once more. */
  | { readonly kind: 'again'; readonly detail: string }
  /** A modern server that refuses us. */
  | { readonly kind: 'refused'; readonly detail: string }
  /** The connection was lost. */
  | { readonly kind: 'gone'; readonly detail: string };

export interface ModernPeer extends Peer {
  readonly subscription: Subscription;
}

const maxRounds = 16;
const tooManyRounds = createFault(
  'ask.too_many',
  'The server kept asking for roots without returning a result.',
);

const meta = (name: string): string => `io.modelcontextprotocol/${name}`;
/** Error codes that only modern servers use. */
const headerMismatch = -32020;
const missingCapability = -32021;
const unsupportedVersion = -32022;

export function discoverParams(version: string, roots: RootsRule | undefined): string {
  return `{"_meta":${ownEnvelope(version, roots)}}`;
}

export function readDiscovery(reply: Reply): Discovery {
  if (reply.kind === 'fault') {
    return { kind: kindOfFault(reply.fault.code), detail: describeReply(reply) };
  }
  if (reply.kind === 'error') return readRefusal(reply.error.value, describeReply(reply));
  const result = reply.kind === 'result' ? reply.result.value : undefined;
  if (!isRecord(result) || !Array.isArray(result['supportedVersions'])) {
    return { kind: 'other', detail: 'the response to server/discover is invalid' };
  }
  if (!result['supportedVersions'].includes(modernVersion)) {
    return { kind: 'other', detail: `it supports only ${result['supportedVersions'].join(', ')}` };
  }
  const { instructions } = result;
  return {
    kind: 'modern',
    abilities: readAbilities(result['capabilities']),
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
}

/** Before a login, the protocol version is unknown. */
function kindOfFault(code: FaultCode): 'gone' | 'refused' | 'other' {
  if (code === 'provider.login') return 'refused';
  return code === 'provider.lost' ? 'gone' : 'other';
}

function readRefusal(error: unknown, detail: string): Discovery {
  const { code, data } = isRecord(error) ? error : {};
  if (code === headerMismatch || code === missingCapability) return { kind: 'refused', detail };
  if (code !== unsupportedVersion) return { kind: 'other', detail };
  const supported: unknown = isRecord(data) ? data['supported'] : undefined;
  const versions: readonly unknown[] = Array.isArray(supported) ? supported : [];
  if (versions.includes(modernVersion)) return { kind: 'again', detail };
  return { kind: versions.some((one) => String(one) < modernVersion) ? 'other' : 'refused', detail };
}

function ownEnvelope(version: string, roots: RootsRule | undefined): string {
  const clientCapabilities = {
    ...(roots && { roots: {} }),
    sampling: {},
    elicitation: { form: {}, url: {} },
  };
  return JSON.stringify({
    [meta('protocolVersion')]: modernVersion,
    [meta('clientInfo')]: { name: 'tidegate', version },
    [meta('clientCapabilities')]: clientCapabilities,
  });
}

/** A server with protocol version 2026-07-28: every request carries everything about the caller. */
export function openModernPeer(
  parts: ModernParts,
  found: Extract<Discovery, { readonly kind: 'modern' }>,
): ModernPeer {
  const { rpc, server } = parts;
  rpc.transport.agree('modern', modernVersion);
  const envelope = ownEnvelope(parts.version, parts.roots);
  const capabilitiesFor = createCapabilityFilter(parts.roots);
  const roots = createRootsAnswers(server, parts.roots);
  const paramHeadersFor = createParamHeaderReader();
  const clientInfo = JSON.stringify({ name: 'tidegate', version: parts.version });
  const lists = found.abilities.listChanged;
  const subscription = openSubscription({ ...parts, envelope, lists });

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

  return {
    protocol: 'modern',
    protocolVersion: modernVersion,
    pid: rpc.transport.pid,
    abilities: found.abilities,
    instructions: found.instructions,
    subscription,
    call(call, exchange) {
      const given = roots.given(call);
      return given !== undefined && 'code' in given
        ? Promise.resolve(faulted(given))
        : sendRound(call, exchange, given, 1);
    },
    listPage(list, cursor) {
      const page = cursor === undefined ? undefined : JSON.stringify(cursor);
      const params = withMembers(`{"_meta":${envelope}}`, { cursor: page });
      return rpc.request(listMethods[list], params, { timeoutMs: ownRequestMs });
    },
    watchOnly: (uris) => (found.abilities.resources ? subscription.watchOnly(uris) : Promise.resolve()),
    isBusy: () => rpc.inFlight.isBusy(),
    lastUse: () => rpc.lastUse,
    async close() {
      subscription.close();
      await rpc.close();
    },
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
