import { lookup } from 'node:dns/promises';
import { BlockList, isIP } from 'node:net';

const loopback = blockList([
  ['127.0.0.0', 8],
  ['::1', 128],
]);
/** Networks that only somebody inside can reach. */
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
/** Where machines of a cloud find their own credentials: no login leads there. */
const linkLocal = blockList([
  ['169.254.0.0', 16],
  ['fe80::', 10],
]);

export type Reach = 'loopback' | 'inner' | 'link-local' | 'public';

/** From where an address can be reached. IPv4 in the clothes of IPv6 is looked at as what it is. */
export function reachOf(address: string): Reach {
  const bare = unmapped(address);
  const family = isIP(bare) === 6 ? 'ipv6' : 'ipv4';
  if (loopback.check(bare, family)) return 'loopback';
  if (linkLocal.check(bare, family)) return 'link-local';
  return inner.check(bare, family) ? 'inner' : 'public';
}

/** Whether a host is this machine by its name alone. */
export function isLoopbackName(hostname: string): boolean {
  const bare = bareHost(hostname);
  return bare === 'localhost' || (isIP(bare) !== 0 && reachOf(bare) === 'loopback');
}

export function bareHost(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname.toLowerCase();
}

/** Whether a server stands where only somebody inside can reach it: then its authorization server may as well. */
export async function isInside(url: string): Promise<boolean> {
  const host = bareHost(new URL(url).hostname);
  if (isLoopbackName(host)) return true;
  if (isIP(host) !== 0) return reachOf(host) !== 'public';
  try {
    const found = await lookup(host, { all: true });
    return found.some(({ address }) => reachOf(address) !== 'public');
  } catch {
    // Whoever cannot be found is nobody inside.
    return false;
  }
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
