import { isIPv6 } from 'node:net';

/** The names by which this gate may be addressed: anything else is a page that talks to us under a foreign name. */
export interface HostRule {
  readonly host: string;
  readonly port: number;
}

/** Whether the Host header names this gate: exact name, exact port, nothing before, nothing behind. */
export function isOurHost(header: string | undefined, rule: HostRule): boolean {
  if (header === undefined) return false;
  return names(rule).some((name) => sameAuthority(header, name, rule.port));
}

/** Whether a request may come from where it says. No Origin is a program; a foreign Origin is a foreign page. */
export function isOurOrigin(header: string | undefined, rule: HostRule): boolean {
  if (header === undefined) return true;
  // We speak plain HTTP, so a page of an https address is not ours, whatever its name.
  const scheme = 'http://';
  return header.startsWith(scheme) && isOurHost(header.slice(scheme.length), rule);
}

function names({ host }: HostRule): string[] {
  const loopback = ['localhost', '127.0.0.1', '[::1]'];
  if (host === '0.0.0.0' || host === '::') return loopback;
  return [...new Set([...loopback, isIPv6(host) ? `[${host}]` : host])];
}

function sameAuthority(given: string, name: string, port: number): boolean {
  const lower = given.toLowerCase();
  const wanted = name.toLowerCase();
  return lower === `${wanted}:${String(port)}` || (port === 80 && lower === wanted);
}
