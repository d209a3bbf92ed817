import { type Challenge, readChallenge } from './challenge.js';
import type { GuardedFetch } from './guarded-fetch.js';

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

export interface Probed {
  readonly challenge: Challenge;
  /** Whether it answers without a login. */
  readonly isOpen: boolean;
}

/** Requests a list without a login, which changes nothing, to see what the server requires. */
export async function probe(server: string, fetch: GuardedFetch): Promise<Probed> {
  const { status, headers, ok } = await fetch(server, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(list),
    headersOnly: true,
  });
  const challenge = status === 401 ? readChallenge(headers.get('www-authenticate') ?? undefined) : {};
  // 400: an older server that expects a session, but does not require a login.
  return { challenge, isOpen: ok || status === 400 };
}
