import { type Challenge, readChallenge } from './challenge.js';
import type { GuardedFetch } from './guarded-fetch.js';

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

export interface Probed {
  readonly challenge: Challenge;
  /** It answers also without a login. */
  readonly isOpen: boolean;
}

/** What the server says to somebody without a login. Asks for a list, which changes nothing. */
export async function probe(server: string, fetch: GuardedFetch): Promise<Probed> {
  const { status, headers, ok } = await fetch(server, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(list),
    headersOnly: true,
  });
  const challenge = status === 401 ? readChallenge(headers.get('www-authenticate') ?? undefined) : {};
  // 400: it misses the session that older servers want, and has nothing against the caller.
  return { challenge, isOpen: ok || status === 400 };
}
