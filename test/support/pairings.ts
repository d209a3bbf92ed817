import { type HttpGate, openHttpGate, openPlace, type Place } from './gate.js';
import { openRawHttp, openRawStdio, type RawClient, type RawClientOptions, tokenOf } from './raw-client.js';
import { type Upstream, upstreamWays, type Protocol, type Wire } from './upstreams.js';

export interface Way {
  readonly wire: ClientWire;
  readonly protocol: Protocol;
}

/** The wires, and the bridge from a stdio client to a gate that serves HTTP. */
export type ClientWire = Wire | 'relay';

/** Every way of a client to the gate. */
export const clientWays: readonly (Way & { readonly wire: Wire })[] = upstreamWays;
export const relayedWays: readonly Way[] = [
  { wire: 'relay', protocol: 'legacy' },
  { wire: 'relay', protocol: 'modern' },
];

/** The built program with upstream servers behind it, open to clients of every kind. */
export interface Gated {
  readonly place: Place;
  readonly gate: HttpGate;
  connect(wire: ClientWire, options: RawClientOptions): Promise<RawClient>;
  close(): Promise<void>;
}

/** Opens a place, trusts it, and serves it over HTTP; stdio gates of the same place are started by `connect`. */
export async function openGated(
  upstreams: Readonly<Record<string, Upstream>>,
  more: object = {},
): Promise<Gated> {
  const servers = Object.fromEntries(Object.entries(upstreams).map(([name, { entry }]) => [name, entry]));
  const place = openPlace({ servers, ...more });
  const gate = await openHttpGate(place);
  return {
    place,
    gate,
    connect(wire, options) {
      if (wire === 'http') return openRawHttp(gate, tokenOf(place), options);
      return openRawStdio(place, options, ...(wire === 'relay' ? ['--via', gate.url] : []));
    },
    async close() {
      await gate.close();
      await Promise.all(Object.values(upstreams).map((upstream) => upstream.close()));
      place.close();
    },
  };
}
