import {
  type Call,
  type Exchange,
  type FaultCode,
  type Log,
  type Outcome,
  requestText,
  withMembers,
} from '../../kernel/index.js';
import { createCapabilityFilter } from './client-capabilities.js';
import type { Reply } from './in-flight.js';
import type { About } from './link.js';
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
import { openSubscription, type Subscription } from './subscription.js';

const modernVersion = '2026-07-28';

export interface ModernParts {
  readonly rpc: Rpc;
  readonly server: string;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether parameters are mirrored into headers. */
  readonly mirrorsParams: boolean;
  /** The server found our headers wrong: what we know of its tools is out of date. */
  readonly headersRefused: () => void;
}

/** What `server/discover` showed. */
export type Discovery =
  | {
      readonly kind: 'modern';
      readonly abilities: ServerAbilities;
      readonly instructions: string | undefined;
    }
  /** It is no modern server, or one that would rather speak an older revision. */
  | { readonly kind: 'other'; readonly detail: string }
  /** It names the very version that it refused: worth one more try. */
  | { readonly kind: 'again'; readonly detail: string }
  /** A modern server that does not speak with us. */
  | { readonly kind: 'refused'; readonly detail: string }
  /** The link broke. */
  | { readonly kind: 'gone'; readonly detail: string };

export interface ModernPeer extends Peer {
  readonly subscription: Subscription;
}

const meta = (name: string): string => `io.modelcontextprotocol/${name}`;
/** The errors that only a modern server knows. */
const headerMismatch = -32020;
const missingCapability = -32021;
const unsupportedVersion = -32022;

export function discoverParams(version: string): string {
  return `{"_meta":${ownEnvelope(version)}}`;
}

export function readDiscovery(reply: Reply): Discovery {
  if (reply.kind === 'fault') {
    return { kind: kindOfFault(reply.fault.code), detail: describeReply(reply) };
  }
  if (reply.kind === 'error') return readRefusal(reply.error.value, describeReply(reply));
  const result = reply.kind === 'result' ? reply.result.value : undefined;
  if (!isRecord(result) || !Array.isArray(result['supportedVersions'])) {
    return { kind: 'other', detail: 'the answer to server/discover is none' };
  }
  if (!result['supportedVersions'].includes(modernVersion)) {
    return { kind: 'other', detail: `speaks ${result['supportedVersions'].join(', ')}` };
  }
  const { instructions } = result;
  return {
    kind: 'modern',
    abilities: readAbilities(result['capabilities']),
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
}

/** Before a login nobody can say which era it is. */
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

function ownEnvelope(version: string): string {
  const clientCapabilities = { roots: {}, sampling: {}, elicitation: { form: {}, url: {} } };
  return JSON.stringify({
    [meta('protocolVersion')]: modernVersion,
    [meta('clientInfo')]: { name: 'tidegate', version },
    [meta('clientCapabilities')]: clientCapabilities,
  });
}

/** A server of the modern era: every request says all that there is to know about the caller. */
export function openModernPeer(
  parts: ModernParts,
  found: Extract<Discovery, { readonly kind: 'modern' }>,
): ModernPeer {
  const { rpc, server } = parts;
  rpc.link.agree('modern', modernVersion);
  const envelope = ownEnvelope(parts.version);
  const capabilitiesFor = createCapabilityFilter();
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

  return {
    era: 'modern',
    protocolVersion: modernVersion,
    pid: rpc.link.pid,
    abilities: found.abilities,
    instructions: found.instructions,
    subscription,
    call(call, exchange) {
      const id = rpc.nextId();
      const params = paramsFor(call, metaFor(call, exchange, id), answersOf(call));
      if (params === undefined) return Promise.resolve(duplicateMember());
      const about = aboutOf(call);
      const text = requestText(id, about.method, params);
      return new Promise<Outcome>((resolve) => {
        rpc.carry(id, text, { call, exchange, about }, (reply) => {
          if (reply.kind === 'error' && codeOf(reply.error.value) === headerMismatch) parts.headersRefused();
          resolve(reply.kind === 'stale' ? staleOutcome(server) : modernOutcomeOf(reply));
        });
      });
    },
    listPage(list, cursor) {
      const page = cursor === undefined ? undefined : JSON.stringify(cursor);
      const params = withMembers(`{"_meta":${envelope}}`, { cursor: page });
      return rpc.request(listMethods[list], params, { timeoutMs: ownRequestMs });
    },
    watchOnly: (uris) => (found.abilities.resources ? subscription.watchOnly(uris) : Promise.resolve()),
    // Roots are asked for anew with every call, so there is nothing to tell.
    rootsChanged() {},
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

/** What the caller answered to the server's questions; a state that the server did not give is never sent. */
function answersOf(call: Call): Changes {
  const { answers } = call;
  return {
    inputResponses: answers?.responses.text,
    requestState: answers?.state === undefined ? undefined : JSON.stringify(answers.state),
  };
}
