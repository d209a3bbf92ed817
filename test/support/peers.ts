import type { Gateway } from '../../src/gateway/index.js';
import { readFrame } from '../../src/lib/json-rpc.js';
import { metaKeys } from '../../src/transports/stateless/codec.js';
import { createInFlight, type InFlight } from '../../src/transports/framing/in-flight.js';
import { createSemaphore } from '../../src/lib/semaphore.js';
import { createWireCommon, supportedVersions } from '../../src/transports/identity.js';
import { type LegacyPeer, openLegacyPeer } from '../../src/transports/stateful/peer.js';
import { type ModernPeer, openModernPeer } from '../../src/transports/stateless/peer.js';
import { sessionOf } from './gateway.js';
import { createKeptLine, type KeptLine } from './reply-line.js';

/** A peer of one era in front of a gateway, and the client's end of it. */
export interface PeerUnderTest<P> {
  readonly peer: P;
  readonly inFlight: InFlight;
  /** What was pushed outside of any request. */
  readonly pushed: unknown[];
  /** Sends a message as it would come from the wire and gives the way back. */
  send(message: unknown, line?: KeptLine): KeptLine;
  /** Sends a request and gives its answer. */
  ask(message: Readonly<Record<string, unknown>>): Promise<unknown>;
}

const common = createWireCommon('1', 'run');

function underTest<P extends LegacyPeer | ModernPeer>(
  open: (parts: Parameters<typeof openLegacyPeer>[0] & Parameters<typeof openModernPeer>[0]) => P,
  gateway: Gateway,
  pager: 'legacy' | 'modern',
): PeerUnderTest<P> {
  const inFlight = createInFlight();
  const pushed: unknown[] = [];
  const peer = open({
    gateway,
    session: sessionOf(),
    inFlight,
    semaphore: createSemaphore(128, 4096),
    newRequestId: common.newRequestId,
    server: common.server,
    supportedVersions,
    pager: common.pagers[pager],
    push: (text) => void pushed.push(JSON.parse(text)),
  });

  function send(message: unknown, line: KeptLine = createKeptLine()): KeptLine {
    const text =
      typeof message === 'string' ? message : JSON.stringify({ jsonrpc: '2.0', ...(message as object) });
    peer.receive(readFrame(text), line);
    return line;
  }

  async function ask(message: Readonly<Record<string, unknown>>): Promise<unknown> {
    const line = send(message);
    await line.over;
    return line.ended[0]?.message;
  }

  return { peer, inFlight, pushed, send, ask };
}

export function openLegacyUnderTest(gateway: Gateway): PeerUnderTest<LegacyPeer> {
  return underTest(openLegacyPeer, gateway, 'legacy');
}

export function openModernUnderTest(gateway: Gateway): PeerUnderTest<ModernPeer> {
  return underTest(openModernPeer, gateway, 'modern');
}

/** The params of a modern request, with the envelope that each must have. */
export function modernParams(
  params: Readonly<Record<string, unknown>> = {},
  capabilities: Readonly<Record<string, unknown>> = {},
  meta: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, unknown>> {
  return {
    ...params,
    _meta: {
      [metaKeys.protocolVersion]: '2026-07-28',
      [metaKeys.clientCapabilities]: capabilities,
      ...meta,
    },
  };
}
