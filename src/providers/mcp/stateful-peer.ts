import { type Call, type Exchange, logLevels, type Outcome } from '../../core/index.js';
import { requestText } from '../../lib/json-rpc.js';
import { duplicateMember, outcomeOf, staleOutcome } from './outcome.js';
import { listMethods, type Peer } from './peer.js';
import { type Changes, methodOf, paramsFor, traceMeta } from './request-params.js';
import { createRenewableSession, initialize, type SessionParts, type Welcome } from './stateful-session.js';

const subscribingAtOnce = 32;

export type Opened =
  | { readonly ok: true; readonly peer: Peer }
  /** `isGone`: the server exited or disconnected instead of answering. */
  | { readonly ok: false; readonly detail: string; readonly isGone: boolean };

/** Opens a server with a legacy protocol version: the handshake, then calls. */
export async function openLegacyPeer(parts: SessionParts): Promise<Opened> {
  const welcome = await initialize(parts);
  return 'detail' in welcome ? { ok: false, ...welcome } : { ok: true, peer: createPeer(parts, welcome) };
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

function createPeer(parts: SessionParts, welcome: Welcome): Peer {
  const { rpc, server } = parts;
  let logLevel: number = logLevels.length;
  let subscribed = new Set<string>();
  const session = createRenewableSession(parts, welcome, () => {
    logLevel = logLevels.length;
    const uris = [...subscribed];
    subscribed = new Set();
    void watchOnly(uris);
  });

  function send(
    call: Call,
    exchange: Exchange,
    mayRenew: boolean,
    resolve: (outcome: Outcome) => void,
  ): void {
    if (session.renewal !== undefined)
      return void session.renewal.then(() => send(call, exchange, mayRenew, resolve));
    if (exchange.logLevel !== undefined && session.abilities.logging)
      raiseLogLevel(logLevels.indexOf(exchange.logLevel));
    const id = rpc.nextId();
    const params = paramsFor(call, metaFor(call, exchange, id), noAnswers);
    if (params === undefined) return resolve(duplicateMember());
    const text = requestText(id, methodOf(call.target), params);
    const sentIn = session.number;
    rpc.carry(id, text, { call, exchange }, (reply) => {
      if (reply.kind !== 'stale') resolve(outcomeOf(reply));
      else if (!mayRenew) resolve(staleOutcome(server));
      else void sendAgain(call, exchange, sentIn).then(resolve);
    });
  }

  async function sendAgain(call: Call, exchange: Exchange, sentIn: number): Promise<Outcome> {
    if (!(await session.renew(sentIn))) return staleOutcome(server);
    return new Promise((resolve) => send(call, exchange, false, resolve));
  }

  /** Servers have one log level for all sessions, so use the most verbose one requested. */
  function raiseLogLevel(wanted: number): void {
    if (wanted < 0 || wanted >= logLevel) return;
    logLevel = wanted;
    void rpc.request('logging/setLevel', JSON.stringify({ level: logLevels[wanted] }));
  }

  async function watchOnly(uris: readonly string[]): Promise<void> {
    if (!session.abilities.subscribe) return;
    const wanted = new Set(uris);
    const added = uris.filter((uri) => !subscribed.has(uri));
    const removed = [...subscribed].filter((uri) => !wanted.has(uri));
    subscribed = wanted;
    await Promise.all([sendAll('resources/subscribe', added), sendAll('resources/unsubscribe', removed)]);
  }

  /** After a restart there may be thousands, and calls must not wait behind all of them. */
  async function sendAll(method: string, uris: readonly string[]): Promise<void> {
    const left = uris.values();
    const sendSome = async (): Promise<void> => {
      for (const uri of left) await session.request(method, JSON.stringify({ uri }));
    };
    await Promise.all(Array.from({ length: Math.min(uris.length, subscribingAtOnce) }, sendSome));
  }

  return {
    protocol: 'legacy',
    protocolVersion: welcome.protocolVersion,
    pid: rpc.transport.pid,
    get abilities() {
      return session.abilities;
    },
    instructions: welcome.instructions,
    call: (call, exchange) => new Promise((resolve) => send(call, exchange, true, resolve)),
    listPage: (list, cursor) =>
      session.request(listMethods[list], cursor === undefined ? undefined : JSON.stringify({ cursor })),
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
