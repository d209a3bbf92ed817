import { isIPv6 } from 'node:net';

/** The names by which this gate may be addressed: anything else is a page that talks to us under a foreign name. */
export interface HostRule {
  readonly host: string;
  readonly port: number;
  /** The address of ours that the connection came in on: a page can be tricked by a name, never by an address. */
  readonly address?: string | undefined;
}

/** Whether the Host header names this gate: exact name, exact port, nothing before, nothing behind. */
export function isOurHost(header: string | undefined, rule: HostRule): boolean {
  if (header === undefined) return false;
  return names(rule).some((name) => sameAuthorizer(header, name, rule.port));
}

/** Whether a request may come from where it says. No Origin is a program; a foreign Origin is a foreign page. */
export function isOurOrigin(header: string | undefined, rule: HostRule): boolean {
  if (header === undefined) return true;
  // We speak plain HTTP, so a page of an https address is not ours, whatever its name.
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
