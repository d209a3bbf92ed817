import dns from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { ToolFailure } from '../../core/index.js';

export type Reach = 'loopback' | 'inner' | 'link-local' | 'public';

/** Decides which addresses a request may go to, before it is sent and when its name is resolved. */
export interface Guard {
  /** For a host that is an address, because no name is resolved then. */
  check(target: URL): void;
  readonly lookup: LookupFunction;
}

/**
 * A host chosen by an input, a result or a loop must be public. A host written in the file may be anywhere,
 * but because DNS can change, only `localhost` may resolve to this machine, and no name to a link-local
 * address.
 */
export function createGuard(
  { hostname, origin }: URL,
  isFixed: boolean,
  reachOf: (address: string) => Reach,
): Guard {
  const host = bareHost(hostname);
  const isHere = host === 'localhost' || host.endsWith('.localhost');
  const isAllowed = (address: string): boolean => {
    const reach = reachOf(address);
    if (reach === 'public') return true;
    if (!isFixed) return false;
    return isIP(host) !== 0 || reach === 'inner' || (isHere && reach === 'loopback');
  };
  const refusal = (): ToolFailure => {
    const why = isFixed
      ? 'its name resolves to this machine or to a link-local address'
      : 'it is on a private network, and the workflow file does not name it';
    const suggestion = isFixed
      ? 'Use the IP address in the URL instead of the host name.'
      : 'Specify the host in the workflow file.';
    return new ToolFailure('refused', `${origin} was not contacted: ${why}.`, {
      reason: 'private_host',
      suggestion,
    });
  };
  return {
    check(target) {
      const address = bareHost(target.hostname);
      if (isIP(address) !== 0 && !isAllowed(address)) throw refusal();
    },
    lookup(name, options, callback) {
      dns.lookup(name, { ...options, all: true }, (error, found) => {
        if (error !== null) return callback(error, '');
        if (!found.every(({ address }) => isAllowed(address))) return callback(refusal(), '');
        const [first] = found;
        if (options.all === true) callback(null, found);
        else callback(null, first?.address ?? '', first?.family);
      });
    },
  };
}

function bareHost(hostname: string): string {
  return hostname.startsWith('[') ? hostname.slice(1, -1) : hostname.replace(/\.$/, '').toLowerCase();
}
