import type { Protocol } from '../../core/index.js';
import { openLegacyPeer } from './stateful-peer.js';
import { ConnectFailure, type Line, type LineParts, openLine } from './line.js';
import { type Discovery, discoverParams, readDiscovery } from './discovery.js';
import { openModernPeer } from './stateless-peer.js';
import type { Peer } from './peer.js';

export interface ConnectParts extends LineParts {
  readonly version: string;
  readonly protocol: 'auto' | Protocol;
  /** The protocol version that worked last time. */
  readonly remembered: Protocol | undefined;
  /** Whether parameters are mirrored into headers. */
  readonly mirrorsParams: boolean;
  readonly startMs: number;
  /** Receives the protocol version to use next time. */
  readonly onVerdict: (protocol: Protocol) => void;
}

/** How long to wait for `server/discover` before assuming that the server does not support it. */
const probeMs = 3000;
const lateMs = 100;

class DiedOnProbe extends Error {}

/** Connects with the protocol version that the server supports. Probes the real process or endpoint, never a second one. */
export async function connect(parts: ConnectParts): Promise<Peer> {
  const line = await openLine(parts);
  try {
    return await negotiate(parts, line);
  } catch (error) {
    await line.rpc.close();
    if (!(error instanceof DiedOnProbe)) throw error;
  }
  // Some servers exit when they get an unknown request.
  parts.log('info', 'the server exited on server/discover; connecting with the legacy protocol');
  const again = await openLine(parts);
  try {
    return await openLegacy(parts, again);
  } catch (error) {
    await again.rpc.close();
    throw error;
  }
}

async function negotiate(parts: ConnectParts, line: Line): Promise<Peer> {
  if (parts.protocol === 'legacy') return openLegacy(parts, line);
  if (parts.protocol === 'auto' && parts.remembered === 'legacy') {
    const opened = await openLegacyPeer(legacyParts(parts, line));
    if (opened.ok) return line.keep(opened.peer);
    if (opened.isGone) throw new ConnectFailure(opened.detail);
    parts.log('info', 'the legacy handshake failed; probing the protocol version again', {
      detail: opened.detail,
    });
  }
  return probe(parts, line);
}

async function probe(parts: ConnectParts, line: Line): Promise<Peer> {
  const isExpected = parts.protocol === 'modern' || parts.remembered === 'modern';
  const discovery = discover(parts, line);
  const first = isExpected ? await discovery : await orSilent(discovery, parts, probeMs);
  if (first.kind === 'modern') return openModern(parts, line, first);
  if (parts.protocol === 'modern' || first.kind === 'refused') throw new ConnectFailure(first.detail);
  if (first.kind === 'gone') throw new DiedOnProbe(first.detail);
  try {
    const peer = await openLegacy(parts, line);
    if (first.kind === 'silent') rememberLater(parts, discovery);
    return peer;
  } catch (error) {
    const late = await orSilent(discovery, parts, lateMs);
    if (late.kind === 'modern') return openModern(parts, line, late);
    throw error;
  }
}

async function discover({ version, startMs, roots }: ConnectParts, { rpc }: Line): Promise<Discovery> {
  const ask = async (): Promise<Discovery> =>
    readDiscovery(
      await rpc.request('server/discover', discoverParams(version, roots), {
        timeoutMs: startMs,
        quiet: true,
      }),
    );
  const first = await ask();
  const found = first.kind === 'again' ? await ask() : first;
  return found.kind === 'again' ? { ...found, kind: 'refused' } : found;
}

/** A modern server that only started slowly is opened as modern next time. */
function rememberLater(parts: ConnectParts, discovery: Promise<Discovery>): void {
  void discovery.then((late) => {
    if (late.kind === 'modern') parts.onVerdict('modern');
  });
}

function legacyParts(parts: ConnectParts, line: Line): Parameters<typeof openLegacyPeer>[0] {
  const { server, version, startMs, events } = parts;
  const offersRoots = parts.roots?.kind === 'folders';
  return { rpc: line.rpc, server, version, startMs, offersRoots, renewed: () => events.renewed() };
}

async function openLegacy(parts: ConnectParts, line: Line): Promise<Peer> {
  const opened = await openLegacyPeer(legacyParts(parts, line));
  if (!opened.ok) throw new ConnectFailure(opened.detail);
  parts.onVerdict('legacy');
  return line.keep(opened.peer);
}

function openModern(parts: ConnectParts, line: Line, found: Extract<Discovery, { kind: 'modern' }>): Peer {
  const headersRefused = (): void => parts.events.listChanged('tools');
  const peer = openModernPeer({ ...parts, rpc: line.rpc, headersRefused }, found);
  parts.onVerdict('modern');
  return line.keep(peer, peer.subscription);
}

async function orSilent(
  discovery: Promise<Discovery>,
  { clock }: ConnectParts,
  ms: number,
): Promise<Discovery | { readonly kind: 'silent'; readonly detail: string }> {
  let stop: (() => void) | undefined;
  const silence = new Promise<{ readonly kind: 'silent'; readonly detail: string }>((resolve) => {
    stop = clock.after(ms, () => resolve({ kind: 'silent', detail: 'no answer to server/discover' }));
  });
  const first = await Promise.race([discovery, silence]);
  stop?.();
  return first;
}
