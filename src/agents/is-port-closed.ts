import { connect } from 'node:net';
import type { Environment } from './launch.js';

const longestMs = 2000;
const proxies = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'https_proxy', 'http_proxy', 'all_proxy'];
const loopback = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** True if it is certain that nothing listens at the address. Behind a proxy, it never is. */
export function isPortClosed(address: string, env: Environment): Promise<boolean> {
  const { hostname, port, protocol } = new URL(address);
  const isBehind = proxies.some((name) => (env[name] ?? '') !== '') && !loopback.test(hostname);
  if (isBehind) return Promise.resolve(false);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port || (protocol === 'https:' ? 443 : 80)) });
    const end = (isClosed: boolean): void => {
      socket.destroy();
      resolve(isClosed);
    };
    socket.setTimeout(longestMs, () => end(false));
    socket.once('connect', () => end(false));
    socket.once('error', ({ code }: NodeJS.ErrnoException) =>
      end(code === 'ECONNREFUSED' || code === 'ENOTFOUND'),
    );
  });
}
