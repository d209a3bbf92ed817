import { type Challenge, readChallenge } from './challenge.js';
import type { GuardedFetch } from './guarded-fetch.js';

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list' };

/** What the server says to somebody without a login. Asks for a list, which changes nothing. */
export async function probe(server: string, fetch: GuardedFetch): Promise<Challenge> {
  const response = await fetch(server, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify(list),
    headersOnly: true,
  });
  return response.status === 401 ? readChallenge(response.headers.get('www-authenticate') ?? undefined) : {};
}
