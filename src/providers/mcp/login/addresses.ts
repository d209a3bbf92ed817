import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';

const loopback = blockList([
  ['127.0.0.0', 8],
  ['::1', 128],
]);
/** Private networks. */
const inner = blockList([
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
  ['::', 127],
  ['fc00::', 7],
  ['fec0::', 10],
  ['ff00::', 8],
]);
/** Link-local addresses, where cloud machines get their credentials. Logins must never contact them. */
const linkLocal = blockList([
  ['169.254.0.0', 16],
  ['fe80::', 10],
]);

export type Reach = 'loopback' | 'inner' | 'link-local' | 'public';

/** Classifies an address. IPv4-mapped IPv6 addresses count as IPv4. */
export function reachOf(address: string): Reach {
  const bare = unmapped(address);
  const family = isIP(bare) === 6 ? 'ipv6' : 'ipv4';
  if (loopback.check(bare, family)) return 'loopback';
  if (linkLocal.check(bare, family)) return 'link-local';
  return inner.check(bare, family) ? 'inner' : 'public';
}

/** Whether a host name always means this machine. */
export function isLoopbackName(hostname: string): boolean {
  const bare = bareHost(hostname);
  return bare === 'localhost' || (isIP(bare) !== 0 && reachOf(bare) === 'loopback');
}

export function bareHost(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname.toLowerCase();
}

/** The network location of a server. */
export interface Whereabouts {
  /** Whether it is reachable only from a private network. Then its authorization server may be private too. */
  readonly isInside: boolean;
  /** The addresses of a host name, resolved once. Connections to that name must use these. */
  readonly addresses?: readonly LookupAddress[];
}

/**
 * A name counts as inside only if all of its addresses are. `answeredFrom` is the remote address of the connection on which
 * the server required the login, because DNS can return another address a moment later.
 */
export async function locate(url: string, answeredFrom?: string): Promise<Whereabouts> {
  const host = bareHost(new URL(url).hostname);
  const cameFromInside = answeredFrom === undefined || isPrivate(answeredFrom);
  if (isLoopbackName(host)) return { isInside: cameFromInside };
  if (isIP(host) !== 0) return { isInside: isPrivate(host) && cameFromInside };
  try {
    const addresses = await lookup(host, { all: true });
    const isInside = addresses.length > 0 && addresses.every(({ address }) => isPrivate(address));
    return { isInside: isInside && cameFromInside, addresses };
  } catch {
    // An unknown name is not inside. The next request reports the failure.
    return { isInside: false };
  }
}

/** Text that is not an address counts as public. */
function isPrivate(address: string): boolean {
  return isIP(address.split('%')[0] ?? '') !== 0 && reachOf(address) !== 'public';
}

function unmapped(address: string): string {
  const bare = address.toLowerCase().split('%')[0] ?? address;
  const dotted = /^(?:::ffff:(?:0:)?|64:ff9b::)(\d+\.\d+\.\d+\.\d+)$/.exec(bare)?.[1];
  if (dotted !== undefined) return dotted;
  const hex = /^(?:::ffff:(?:0:)?|64:ff9b::)([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(bare);
  if (hex === null) return bare;
  const [high, low] = [Number.parseInt(hex[1] ?? '0', 16), Number.parseInt(hex[2] ?? '0', 16)];
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

function blockList(nets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [net, bits] of nets) list.addSubnet(net, bits, isIP(net) === 6 ? 'ipv6' : 'ipv4');
  return list;
}
