import { ToolFailure } from '../../core/index.js';
import type { WebAnswer } from '../../ports/web.js';

export interface Sending {
  readonly target: URL;
  readonly method: string;
  readonly body: string | undefined;
}

export function readTarget(url: string): URL {
  const target = /^https?:\/\//.test(url) && URL.canParse(url) ? new URL(url) : undefined;
  if (target === undefined)
    throw refused('The URL must start with http:// or https:// and include a host name.');
  if (target.username !== '' || target.password !== '')
    throw refused('The URL must not contain a user name or password. Send them in a header.');
  return target;
}

/** The next request after a redirect, by the rules of browsers; undefined if the answer is not a redirect. */
export function redirectOf({ status, headers }: WebAnswer, sent: Sending): Sending | undefined {
  const { Location: location } = headers;
  if (![301, 302, 303, 307, 308].includes(status) || location === undefined) return undefined;
  const target = URL.canParse(location, sent.target.href) ? new URL(location, sent.target) : undefined;
  if (target === undefined || !staysOnHost(sent.target, target)) {
    const where = target?.origin ?? 'an invalid address';
    throw refused(`${sent.target.origin} redirects to ${where}. Redirects to another host are not followed.`);
  }
  if (status >= 307) return { ...sent, target };
  return { target, method: 'GET', body: undefined };
}

/** The same origin, or the same host with TLS, both on default ports. */
function staysOnHost(from: URL, to: URL): boolean {
  if (to.username !== '' || to.password !== '') return false;
  const isUpgrade =
    from.protocol === 'http:' && to.protocol === 'https:' && from.port === '' && to.port === '';
  return from.origin === to.origin || (isUpgrade && from.hostname === to.hostname);
}

function refused(message: string): ToolFailure {
  return new ToolFailure('refused', message, { reason: 'url' });
}
