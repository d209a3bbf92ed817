import type { Reply } from './in-flight.js';
import { describeReply } from './outcome.js';
import { isRecord, ownRequestMs, readAbilities, type ServerAbilities } from './peer.js';
import type { Rpc } from './rpc.js';

const offeredVersion = '2025-11-25';
const knownVersions: readonly unknown[] = ['2024-11-05', '2025-03-26', '2025-06-18', offeredVersion];

export interface SessionParts {
  readonly rpc: Rpc;
  readonly server: string;
  readonly version: string;
  readonly startMs: number;
  /** Whether the operator configured roots for the server. */
  readonly offersRoots: boolean;
  /** Called after the session was reopened. */
  readonly renewed: () => void;
}

export interface Welcome {
  readonly protocolVersion: string;
  readonly abilities: ServerAbilities;
  readonly instructions: string | undefined;
}

export interface Refusal {
  readonly detail: string;
  readonly isGone: boolean;
}

/** The session with a server, which is opened again after the server has lost it. */
export interface RenewableSession {
  readonly abilities: ServerAbilities;
  /** Counts the sessions that were opened. */
  readonly number: number;
  /** Set while the session is being reopened. */
  readonly renewal: Promise<boolean> | undefined;
  /** Reopens this session, once for all calls that found it lost. False if that failed. */
  renew(lost: number): Promise<boolean>;
  /** Sends a request of the gateway, again if the session was lost. */
  request(method: string, params: string | undefined): Promise<Reply>;
}

export function createRenewableSession(
  parts: SessionParts,
  first: Welcome,
  onRenewed: () => void,
): RenewableSession {
  const { rpc } = parts;
  let { abilities } = first;
  let number = 1;
  let renewal: Promise<boolean> | undefined;

  function renew(lost: number): Promise<boolean> {
    if (lost !== number) return Promise.resolve(true);
    renewal ??= openAgain().finally(() => {
      renewal = undefined;
    });
    return renewal;
  }

  async function openAgain(): Promise<boolean> {
    rpc.transport.forget();
    const again = await initialize(parts);
    if ('detail' in again) {
      rpc.fail(again.detail);
      return false;
    }
    number += 1;
    abilities = again.abilities;
    onRenewed();
    parts.renewed();
    return true;
  }

  return {
    get abilities() {
      return abilities;
    },
    get number() {
      return number;
    },
    get renewal() {
      return renewal;
    },
    renew,
    async request(method, params) {
      await renewal;
      const sentIn = number;
      const reply = await rpc.request(method, params, { timeoutMs: ownRequestMs });
      if (reply.kind !== 'stale' || !(await renew(sentIn))) return reply;
      return rpc.request(method, params, { timeoutMs: ownRequestMs });
    },
  };
}

/** The handshake of a legacy protocol version. */
export async function initialize({
  rpc,
  version,
  startMs,
  offersRoots,
}: SessionParts): Promise<Welcome | Refusal> {
  const capabilities = {
    ...(offersRoots && { roots: {} }),
    sampling: {},
    elicitation: { form: {}, url: {} },
  };
  const hello = { protocolVersion: offeredVersion, capabilities, clientInfo: { name: 'tidegate', version } };
  const reply = await rpc.request('initialize', JSON.stringify(hello), { timeoutMs: startMs, quiet: true });
  if (reply.kind !== 'result') {
    const isGone = reply.kind === 'fault' && reply.fault.code === 'provider.lost';
    return { detail: `initialize: ${describeReply(reply)}`, isGone };
  }
  const result = isRecord(reply.result.value) ? reply.result.value : {};
  const { protocolVersion, instructions } = result;
  if (typeof protocolVersion !== 'string' || !knownVersions.includes(protocolVersion)) {
    return {
      detail: `it uses protocol version ${String(protocolVersion)}, which is not supported`,
      isGone: false,
    };
  }
  rpc.transport.agree('legacy', protocolVersion);
  rpc.notify('notifications/initialized');
  return {
    protocolVersion,
    abilities: readAbilities(result['capabilities']),
    instructions: typeof instructions === 'string' ? instructions : undefined,
  };
}
