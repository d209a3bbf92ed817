import {
  type Call,
  createFault,
  emptyCatalogue,
  type Exchange,
  type Fault,
  faulted,
  type Outcome,
  type Provider,
  type ProviderStatus,
  type Source,
  type Target,
} from '../../core/index.js';
import type { JsonText } from '../../lib/json-text.js';
import { openCatalogCache } from './catalog-cache.js';
import { connect } from './connect.js';
import { clientOf, principalOf } from './in-flight.js';
import { lendTurn } from './lent-turn.js';
import { HeldStart, UntrustedStart } from './line.js';
import type { Transport, TransportEvents } from './transport.js';
import { loginFault } from './transport-faults.js';
import { providerWithLogin } from './login/provider-with-login.js';
import { openUpstreamLogin, type UpstreamLogin } from './login/upstream-login.js';
import { memoryKey } from './memory.js';
import { type Clock, type McpProviderOptions, systemClock } from './options.js';
import { isRecord, type Peer, type PeerEvents } from './peer.js';
import { openStdioTransport } from './stdio-transport.js';
import { openSupervisor } from './supervisor.js';
import { createTurns, turnMs } from './turns.js';
import { createWatches } from './watches.js';

const startMs = 30_000;

/** One upstream MCP server as a provider of tools, prompts and resources. */
export function openMcpProvider(options: McpProviderOptions): Provider {
  if (options.closed !== undefined) return closedProvider(options, options.closed.state);
  if (!options.enabled) return closedProvider(options, 'disabled');
  return options.trusted ? openServer(options) : closedProvider(options, 'untrusted');
}

function openServer(options: McpProviderOptions): Provider {
  const { name, timeoutMs, log } = options;
  const clock = options.clock ?? systemClock;
  const source = sourceOf(options);
  const isHttp = options.transport.kind === 'http';
  const login = openLogin(options, clock);
  const cache = openCatalogCache({
    rules: {
      source,
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
  const watches = createWatches(clock, () => void supervisor.live?.watchOnly(watches.uris));
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
        events: peerEvents(lost),
        signal,
        onVerdict: (protocol) => cache.rememberProtocol(protocol),
      }),
    onLive(peer) {
      cache.listAll(peer);
      if (watches.uris.length > 0) void peer.watchOnly(watches.uris);
    },
  });

  function peerEvents(lost: (detail: string) => void): PeerEvents {
    return {
      listChanged(list) {
        if (supervisor.live) cache.listSoon(supervisor.live, list);
      },
      resourceUpdated: (uri, params) => watches.updated(uri, params),
      unattributable: () => turns.switchOn(),
      blocked() {
        // Over HTTP, each question arrives on the stream of its call, so its owner is always known.
        if (!isHttp)
          supervisor.replace('it never answered cancelled calls, so no other caller could be asked');
      },
      held: (principal) => turns.pause(principal),
      closed: lost,
      renewed() {
        if (supervisor.live) cache.listAll(supervisor.live);
      },
    };
  }

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

  const provider: Provider = {
    id: idOf(options),
    source,
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
  if (login === undefined) return provider;
  login.onChange(() => {
    if (login.isNeeded) return;
    if (supervisor.live === undefined) supervisor.wake();
    else cache.listAll(supervisor.live);
  });
  const { prefix, givesLinks = true } = options;
  return providerWithLogin(provider, { server: name, prefix, source, login, timeoutMs, givesLinks });
}

/** A configured Authorization header replaces the login. */
function openLogin({ transport, logins, log }: McpProviderOptions, clock: Clock): UpstreamLogin | undefined {
  if (transport.kind !== 'http' || transport.login === undefined || logins === undefined) return undefined;
  if (Object.keys(transport.headers).some((name) => name.toLowerCase() === 'authorization')) return undefined;
  return openUpstreamLogin({ server: transport.url, settings: transport.login, files: logins, clock, log });
}

function sourceOf({ kind = 'server', name }: McpProviderOptions): Source {
  return `${kind}:${name}`;
}

/** A server and a plugin may have the same name. */
function idOf({ kind, name }: McpProviderOptions): string {
  return kind === 'plugin' ? `plugin:${name}` : name;
}

/** HTTP code is loaded only if it is used. */
async function openTransport(
  options: McpProviderOptions,
  clock: Clock,
  events: TransportEvents,
  login: UpstreamLogin | undefined,
): Promise<Transport> {
  const { transport, log, name } = options;
  const refused = await options.recheck?.();
  if (refused !== undefined) throw new (refused.isPassing ? HeldStart : UntrustedStart)(refused.why);
  if (transport.kind === 'http') {
    const { openHttpTransport } = await import('./http-transport.js');
    const { url, headers } = transport;
    return openHttpTransport({ url, headers, events, clock, log, ...(login && { login }) });
  }
  const { command, args, cwd, env } = transport;
  const order = { owner: name, command, args, cwd, env };
  return openStdioTransport({
    processes: options.processes,
    order,
    events,
    clock,
    log,
    redact: options.createRedactor(),
  });
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

/** A server that must not run. It offers nothing, and every call returns the reason. */
function closedProvider(options: McpProviderOptions, state: 'untrusted' | 'disabled' | 'failed'): Provider {
  const { closed } = options;
  const fault = closedFault(options, state);
  return {
    id: idOf(options),
    source: sourceOf(options),
    status: () => ({ state, restarts: 0, ...(closed && { detail: closed.why }) }),
    list: () => emptyCatalogue,
    ready: () => Promise.resolve(),
    parse: () => ({ ok: false, fault }),
    call: () => Promise.resolve(faulted(fault)),
    mayHave: () => false,
    watch: () => Promise.resolve(() => undefined),
    onChange: () => () => undefined,
    close: () => Promise.resolve(),
  };
}

const closedCodes = {
  untrusted: 'provider.untrusted',
  disabled: 'provider.disabled',
  failed: 'provider.unavailable',
} as const;

function closedFault({ name, closed }: McpProviderOptions, state: keyof typeof closedCodes): Fault {
  if (closed !== undefined) {
    return createFault(closedCodes[state], `The plugin ${name} is not used: ${closed.why}.`);
  }
  return state === 'untrusted'
    ? createFault('provider.untrusted', `The server ${name} is not trusted. Run \`tidegate trust\`.`)
    : createFault('provider.disabled', `The server ${name} is disabled in the configuration.`);
}

const mostShown = 3;

/** Adds definitions that are not offered to the status. */
function withDropped(status: ProviderStatus, dropped: readonly string[]): ProviderStatus {
  if (dropped.length === 0) return status;
  const more = dropped.length > mostShown ? `; and ${String(dropped.length - mostShown)} more` : '';
  const detail = `not offered: ${dropped.slice(0, mostShown).join('; ')}${more}`;
  return { ...status, detail: status.detail === undefined ? detail : `${status.detail}; ${detail}` };
}
