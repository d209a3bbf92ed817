import {
  type Call,
  type Exchange,
  type Fault,
  faulted,
  type Outcome,
  type Provider,
  type ProviderStatus,
  type Target,
} from '../../core/index.js';
import type { JsonText } from '../../lib/json-text.js';
import { type CatalogCache, openCatalogCache } from './catalog-cache.js';
import { closedProvider, idOf, sourceOf } from './closed-provider.js';
import { connect } from './connect.js';
import { clientOf, principalOf } from './in-flight.js';
import { lendTurn } from './lent-turn.js';
import { loginFault } from './transport-faults.js';
import { providerWithLogin } from './login/provider-with-login.js';
import { openUpstreamLogin, type UpstreamLogin } from './login/upstream-login.js';
import { memoryKey } from './memory.js';
import { openTransport } from './open-transport.js';
import { type Clock, type McpProviderOptions, systemClock } from './options.js';
import { isRecord, type Peer, type PeerEvents } from './peer.js';
import { openSupervisor, type Supervisor } from './supervisor.js';
import { createTurns, type Turns, turnMs } from './turns.js';
import { createWatches, type Watches } from './watches.js';

const startMs = 30_000;

/** One upstream MCP server as a provider of tools, prompts and resources. */
export function openMcpProvider(options: McpProviderOptions): Provider {
  if (options.closed !== undefined) return closedProvider(options, options.closed.state);
  if (!options.enabled) return closedProvider(options, 'disabled');
  return options.trusted ? openServer(options) : closedProvider(options, 'untrusted');
}

/** The parts of one server: its process or connection, its catalog, and whose turn it is. */
interface ServerParts {
  readonly cache: CatalogCache;
  readonly turns: Turns;
  readonly watches: Watches;
  readonly supervisor: Supervisor;
  readonly login: UpstreamLogin | undefined;
  readonly clock: Clock;
}

function openServer(options: McpProviderOptions): Provider {
  const parts = openParts(options);
  const { cache, supervisor, login } = parts;
  const provider = providerOf(options, parts);
  if (login === undefined) return provider;
  login.onChange(() => {
    if (login.isNeeded) return;
    if (supervisor.live === undefined) supervisor.wake();
    else cache.listAll(supervisor.live);
  });
  const { name, prefix, timeoutMs, givesLinks = true } = options;
  const source = sourceOf(options);
  return providerWithLogin(provider, { server: name, prefix, source, login, timeoutMs, givesLinks });
}

function openParts(options: McpProviderOptions): ServerParts {
  const { name, timeoutMs, log } = options;
  const clock = options.clock ?? systemClock;
  const isHttp = options.transport.kind === 'http';
  const login = openLogin(options, clock);
  const cache = openCatalogCache({
    rules: {
      source: sourceOf(options),
      prefix: options.prefix,
      offers: options.offers,
      log,
      ...(options.reserved && { reserved: options.reserved }),
    },
    isHttp,
    memory: options.memory,
    key: memoryKey(name, options.identity ?? options.transport),
    isLive: (peer) => supervisor.live === peer,
    isBarred: () => login?.isNeeded === true,
    clock,
    log,
  });
  const turns = createTurns(name, clock, Math.min(turnMs, timeoutMs));
  const watches = createWatches(clock, watchLess);
  let isWatchingLess = false;
  const supervisor = openSupervisor({
    server: name,
    clock,
    log,
    redact: (text) => options.createRedactor()(text),
    startMs,
    idleMs: options.idleMs,
    isNeeded: () => watches.uris.length > 0,
    isUnlisted: () => cache.freshness !== 'fresh' && login?.isNeeded !== true,
    connect: (signal, lost) =>
      connect({
        server: name,
        version: options.version,
        protocol: options.protocol,
        remembered: cache.protocol,
        openTransport: (events) => openTransport(options, clock, events, login),
        mirrorsParams: isHttp,
        timeoutMs,
        startMs,
        roots: options.roots,
        clock,
        log,
        events: peerEvents({ cache, turns, watches, supervisor: () => supervisor, isHttp, lost }),
        signal,
        onVerdict: (protocol) => cache.rememberProtocol(protocol),
      }),
    onLive(peer) {
      cache.listAll(peer);
      if (watches.uris.length > 0) void peer.watchOnly(watches.uris);
    },
  });

  /** A session that ends has up to a thousand watches, which end together. */
  function watchLess(): void {
    if (isWatchingLess) return;
    isWatchingLess = true;
    queueMicrotask(() => {
      isWatchingLess = false;
      void supervisor.live?.watchOnly(watches.uris);
    });
  }

  return { cache, turns, watches, supervisor, login, clock };
}

function providerOf(options: McpProviderOptions, parts: ServerParts): Provider {
  const { name, timeoutMs } = options;
  const { cache, turns, watches, supervisor, login, clock } = parts;

  async function callWhenReady(call: Call, exchange: Exchange): Promise<Outcome> {
    const peer = await supervisor.use(exchange.signal, timeoutMs);
    if (!isFault(peer)) return peer.call(call, exchange);
    return faulted(login?.isNeeded === true ? loginFault(name) : peer);
  }

  async function callInTurn(call: Call, exchange: Exchange): Promise<Outcome> {
    const taker = { client: clientOf(call), principal: principalOf(call) };
    const end = await turns.take(taker, exchange.signal);
    if (typeof end !== 'function') return faulted(end);
    const turn = lendTurn({ turns, taker, exchange, clock, end });
    try {
      return await callWhenReady(call, turn.exchange);
    } finally {
      turn.end();
    }
  }

  return {
    id: idOf(options),
    source: sourceOf(options),
    prefix: options.prefix,
    status() {
      const status = withDropped(supervisor.status(), cache.dropped);
      // Connected, but its catalog is not known yet.
      return status.state === 'ready' && cache.isFirstAwaited ? { ...status, state: 'pending' } : status;
    },
    list: () => cache.catalogue,
    async ready() {
      if (cache.freshness === 'fresh') return;
      const opening = supervisor.use(undefined, startMs);
      if (cache.freshness === 'old') return;
      const peer = await opening;
      if (!isFault(peer)) await cache.listed();
    },
    parse: (target, params) => ({ ok: true, input: inputOf(target, params) }),
    call(call, exchange) {
      if (turns.isOn) return callInTurn(call, exchange);
      const peer = supervisor.live;
      return peer === undefined ? callWhenReady(call, exchange) : peer.call(call, exchange);
    },
    mayHave: () => cache.hasResources,
    async watch(uri, listener) {
      const stop = watches.add(uri, listener);
      const peer = await supervisor.use(undefined, timeoutMs);
      if (!isFault(peer)) await peer.watchOnly(watches.uris);
      return stop;
    },
    onChange: (listener) => cache.onChange(listener),
    async close() {
      cache.close();
      await supervisor.close();
    },
  };
}

interface EventTargets extends Pick<ServerParts, 'cache' | 'turns' | 'watches'> {
  readonly supervisor: () => Supervisor;
  readonly isHttp: boolean;
  readonly lost: (detail: string) => void;
}

function peerEvents({ cache, turns, watches, supervisor, isHttp, lost }: EventTargets): PeerEvents {
  return {
    listChanged(list) {
      const { live } = supervisor();
      if (live) cache.listSoon(live, list);
    },
    resourceUpdated: (uri, params) => watches.updated(uri, params),
    unattributable: () => turns.switchOn(),
    blocked() {
      // Over HTTP, each question arrives on the stream of its call, so its owner is always known.
      if (!isHttp)
        supervisor().replace(
          'it did not answer cancelled calls, so its questions could not be matched to a caller',
        );
    },
    held: (principal) => turns.pause(principal),
    closed: lost,
    renewed() {
      const { live } = supervisor();
      if (live) cache.listAll(live);
    },
  };
}

/** A configured Authorization header replaces the login. */
function openLogin({ transport, logins, log }: McpProviderOptions, clock: Clock): UpstreamLogin | undefined {
  if (transport.kind !== 'http' || transport.login === undefined || logins === undefined) return undefined;
  if (Object.keys(transport.headers).some((name) => name.toLowerCase() === 'authorization')) return undefined;
  return openUpstreamLogin({ server: transport.url, settings: transport.login, files: logins, clock, log });
}

/** The arguments for the stages. The server validates them itself. */
function inputOf(target: Target, params: JsonText): unknown {
  const value = isRecord(params.value) ? params.value : {};
  if (target.kind === 'resource') return { uri: target.uri };
  return target.kind === 'completion' ? value : (value['arguments'] ?? {});
}

function isFault(value: Peer | Fault): value is Fault {
  return 'code' in value;
}

const mostShown = 3;

/** Adds definitions that are not offered to the status. */
function withDropped(status: ProviderStatus, dropped: readonly string[]): ProviderStatus {
  if (dropped.length === 0) return status;
  const more = dropped.length > mostShown ? `; and ${String(dropped.length - mostShown)} more` : '';
  const detail = `not offered: ${dropped.slice(0, mostShown).join('; ')}${more}`;
  return { ...status, detail: status.detail === undefined ? detail : `${status.detail}; ${detail}` };
}
