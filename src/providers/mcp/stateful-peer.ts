import { type Call, type Exchange, logLevels, type Outcome } from '../../core/index.js';
import { requestText } from '../../lib/json-rpc.js';
import type { Reply } from './in-flight.js';
import { describeReply, duplicateMember, outcomeOf, staleOutcome } from './outcome.js';
import {
  isRecord,
  listMethods,
  ownRequestMs,
  type Peer,
  readAbilities,
  type ServerAbilities,
} from './peer.js';
import { type Changes, methodOf, paramsFor, traceMeta } from './request-params.js';
import type { Rpc } from './rpc.js';

const offeredVersion = '2025-11-25';
const knownVersions: readonly unknown[] = ['2024-11-05', '2025-03-26', '2025-06-18', offeredVersion];

export interface LegacyParts {
  readonly rpc: Rpc;
  readonly server: string;
  readonly version: string;
  readonly startMs: number;
  /** Whether the operator configured roots for the server. */
  readonly offersRoots: boolean;
  /** Called after the session was reopened. */
  readonly renewed: () => void;
}

export type Opened =
  | { readonly ok: true; readonly peer: Peer }
  /** `isGone`: the server exited or disconnected instead of answering. */
  | { readonly ok: false; readonly detail: string; readonly isGone: boolean };

interface Welcome {
  readonly protocolVersion: string;
  readonly abilities: ServerAbilities;
  readonly instructions: string | undefined;
}

interface Refusal {
  readonly detail: string;
  readonly isGone: boolean;
}

/** Opens a server with a legacy protocol version: the handshake, then calls. */
export async function openLegacyPeer(parts: LegacyParts): Promise<Opened> {
  const welcome = await initialize(parts);
  return 'detail' in welcome ? { ok: false, ...welcome } : { ok: true, peer: createPeer(parts, welcome) };
}

async function initialize({ rpc, version, startMs, offersRoots }: LegacyParts): Promise<Welcome | Refusal> {
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

/** Members of the modern envelope have no meaning here, or would suggest another protocol version. */
const noMeta: Changes = Object.freeze({
  progressToken: undefined,
  'io.modelcontextprotocol/protocolVersion': undefined,
  'io.modelcontextprotocol/clientInfo': undefined,
  'io.modelcontextprotocol/clientCapabilities': undefined,
  'io.modelcontextprotocol/logLevel': undefined,
});
const noAnswers: Changes = Object.freeze({ inputResponses: undefined, requestState: undefined });

function createPeer(parts: LegacyParts, welcome: Welcome): Peer {
  const { rpc, server } = parts;
  let { abilities } = welcome;
  let logLevel: number = logLevels.length;
  let renewal: Promise<boolean> | undefined;
  let sessions = 1;
  let subscribed = new Set<string>();

  function call(call: Call, exchange: Exchange): Promise<Outcome> {
    return new Promise((resolve) => send(call, exchange, true, resolve));
  }

  function send(
    call: Call,
    exchange: Exchange,
    mayRenew: boolean,
    resolve: (outcome: Outcome) => void,
  ): void {
    if (renewal !== undefined) return void renewal.then(() => send(call, exchange, mayRenew, resolve));
    if (exchange.logLevel !== undefined && abilities.logging)
      raiseLogLevel(logLevels.indexOf(exchange.logLevel));
    const id = rpc.nextId();
    const params = paramsFor(call, metaFor(call, exchange, id), noAnswers);
    if (params === undefined) return resolve(duplicateMember());
    const text = requestText(id, methodOf(call.target), params);
    const sentIn = sessions;
    rpc.carry(id, text, { call, exchange }, (reply) => {
      if (reply.kind !== 'stale') resolve(outcomeOf(reply));
      else if (!mayRenew) resolve(staleOutcome(server));
      else void sendAgain(call, exchange, sentIn).then(resolve);
    });
  }

  async function sendAgain(call: Call, exchange: Exchange, sentIn: number): Promise<Outcome> {
    if (!(await renew(sentIn))) {
      return staleOutcome(server);
    }
    return new Promise((resolve) => send(call, exchange, false, resolve));
  }

  /** Reopens the session, once for all calls that found it lost. */
  function renew(lost: number): Promise<boolean> {
    if (lost !== sessions) return Promise.resolve(true);
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
    sessions += 1;
    abilities = again.abilities;
    logLevel = logLevels.length;
    const uris = [...subscribed];
    subscribed = new Set();
    void watchOnly(uris);
    parts.renewed();
    return true;
  }

  async function request(method: string, params: string | undefined): Promise<Reply> {
    await renewal;
    const sentIn = sessions;
    const reply = await rpc.request(method, params, { timeoutMs: ownRequestMs });
    if (reply.kind !== 'stale' || !(await renew(sentIn))) return reply;
    return rpc.request(method, params, { timeoutMs: ownRequestMs });
  }

  /** Servers have one log level for all sessions, so use the most verbose one requested. */
  function raiseLogLevel(wanted: number): void {
    if (wanted < 0 || wanted >= logLevel) return;
    logLevel = wanted;
    void rpc.request('logging/setLevel', JSON.stringify({ level: logLevels[wanted] }));
  }

  async function watchOnly(uris: readonly string[]): Promise<void> {
    if (!abilities.subscribe) return;
    const wanted = new Set(uris);
    const added = uris.filter((uri) => !subscribed.has(uri));
    const removed = [...subscribed].filter((uri) => !wanted.has(uri));
    subscribed = wanted;
    await Promise.all([
      ...added.map((uri) => request('resources/subscribe', JSON.stringify({ uri }))),
      ...removed.map((uri) => request('resources/unsubscribe', JSON.stringify({ uri }))),
    ]);
  }

  return {
    protocol: 'legacy',
    protocolVersion: welcome.protocolVersion,
    pid: rpc.transport.pid,
    get abilities() {
      return abilities;
    },
    instructions: welcome.instructions,
    call,
    listPage: (list, cursor) =>
      request(listMethods[list], cursor === undefined ? undefined : JSON.stringify({ cursor })),
    watchOnly,
    isBusy: () => rpc.inFlight.isBusy(),
    lastUse: () => rpc.lastUse,
    close: () => rpc.close(),
  };
}

function metaFor(call: Call, exchange: Exchange, id: number): Changes {
  if (!exchange.wantsProgress && call.trace === undefined) return noMeta;
  return {
    ...noMeta,
    ...(exchange.wantsProgress && { progressToken: String(id) }),
    ...traceMeta(call),
  };
}
