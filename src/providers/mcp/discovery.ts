import type { FaultCode } from '../../core/index.js';
import type { Reply } from './in-flight.js';
import { describeReply } from './outcome.js';
import { isRecord, readAbilities, type ServerAbilities } from './peer.js';
import type { RootsRule } from './roots.js';

export const modernVersion = '2026-07-28';

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

/** The name of a `_meta` member of the protocol. */
export const meta = (name: string): string => `io.modelcontextprotocol/${name}`;
/** Error codes that only modern servers use. */
export const headerMismatch = -32020;
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

/** The `_meta` of requests that the gateway sends for itself. */
export function ownEnvelope(version: string, roots: RootsRule | undefined): string {
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
