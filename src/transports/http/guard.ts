import { isIPv6 } from 'node:net';

/**
 * The names that are valid for this gateway. Any other name means a web page that uses a foreign name (DNS
 * rebinding).
 */
export interface HostRule {
  readonly host: string;
  readonly port: number;
  /** The local address of the connection: a web page can fake a name, but not an address. */
  readonly address?: string | undefined;
}

/** Whether the Host header names this gateway: exact name and exact port. */
export function isOurHost(header: string | undefined, rule: HostRule): boolean {
  if (header === undefined) return false;
  return names(rule).some((name) => sameAuthorizer(header, name, rule.port));
}

/** Whether the Origin is allowed. Programs send none; a foreign Origin means a foreign web page. */
export function isOurOrigin(header: string | undefined, rule: HostRule): boolean {
  if (header === undefined) return true;
  // The gateway uses plain HTTP, so a page with an https address is never ours.
  const scheme = 'http://';
  return header.startsWith(scheme) && isOurHost(header.slice(scheme.length), rule);
}

const loopback = ['localhost', '127.0.0.1', '[::1]'];

function names({ host, address }: HostRule): readonly string[] {
  if (host === '127.0.0.1' || host === 'localhost' || host === '::1') return loopback;
  const isEverywhere = host === '0.0.0.0' || host === '::';
  const own = isEverywhere ? address?.replace(/^::ffff:/, '') : host;
  return own === undefined ? loopback : [...loopback, isIPv6(own) ? `[${own}]` : own];
}

function sameAuthorizer(given: string, name: string, port: number): boolean {
  const lower = given.toLowerCase();
  const wanted = name.toLowerCase();
  return lower === `${wanted}:${String(port)}` || (port === 80 && lower === wanted);
}
