/** An IP address as a number, so that a network check is a shift. IPv4-mapped IPv6 counts as IPv4. */
export interface IpAddress {
  readonly bits: 32 | 128;
  readonly value: bigint;
}

const mapped = 0xffffn << 32n;

/** Undefined if the text is not an IP address. */
export function parseIpAddress(text: string): IpAddress | undefined {
  if (!text.includes(':')) return parseIpv4(text);
  const value = parseIpv6(text);
  if (value === undefined) return undefined;
  return value >> 32n === mapped >> 32n ? { bits: 32, value: value & 0xffffffffn } : { bits: 128, value };
}

/** Undefined if the text is not in CIDR notation. */
export function isInNetwork(address: IpAddress, cidr: string): boolean | undefined {
  const [, host, length] = /^([^/]+)\/(0|[1-9]\d{0,2})$/.exec(cidr) ?? [];
  const network = host === undefined ? undefined : parseIpAddress(host);
  if (host === undefined || network === undefined) return undefined;
  const isMapped = network.bits === 32 && host.includes(':');
  if (Number(length) > (isMapped ? 128 : network.bits)) return undefined;
  const kept = Number(length) - (isMapped ? 96 : 0);
  if (kept < 0) return false;
  const dropped = BigInt(network.bits - kept);
  return network.bits === address.bits && network.value >> dropped === address.value >> dropped;
}

function parseIpv4(text: string): IpAddress | undefined {
  const parts = text.split('.');
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256))
    return undefined;
  return { bits: 32, value: parts.reduce((sum, part) => (sum << 8n) | BigInt(part), 0n) };
}

function parseIpv6(text: string): bigint | undefined {
  const halves = text.split('::');
  if (halves.length > 2) return undefined;
  const [head, tail] = halves.map((half) => groupsOf(half));
  if (head === undefined || (halves.length === 2 && tail === undefined)) return undefined;
  const missing = 8 - head.length - (tail?.length ?? 0);
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined;
  const groups = [...head, ...Array.from({ length: missing }, () => 0n), ...(tail ?? [])];
  return groups.reduce((sum, group) => (sum << 16n) | group, 0n);
}

/** The 16-bit groups on one side of `::`; the last may be an IPv4 address, which counts as two. */
function groupsOf(half: string): readonly bigint[] | undefined {
  if (half === '') return [];
  const groups: bigint[] = [];
  const parts = half.split(':');
  for (const [index, part] of parts.entries()) {
    const v4 = index === parts.length - 1 && part.includes('.') ? parseIpv4(part) : undefined;
    if (v4 !== undefined) groups.push(v4.value >> 16n, v4.value & 0xffffn);
    else if (/^[\da-f]{1,4}$/i.test(part)) groups.push(BigInt(`0x${part}`));
    else return undefined;
  }
  return groups;
}
