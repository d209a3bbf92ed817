import { selectClientAuthMethod } from '@modelcontextprotocol/client';
import { clientInformation } from './client.js';
import { type GuardedFetch, openGuardedFetch, refuseScheme } from './guarded-fetch.js';
import type { KeptGrant, LoginFiles } from './kept-login.js';

export interface EndParts {
  readonly server: string;
  readonly key: string;
  readonly files: LoginFiles;
  readonly signal: AbortSignal;
}

/** `unrevoked`: the authorization server has no revocation or refused it, so its tokens stay valid until they expire. */
export type Ended = 'none' | 'revoked' | 'unrevoked';

/** Deletes a login, and revokes its tokens if the authorization server supports that. */
export function endLogin({ server, key, files, signal }: EndParts): Promise<Ended> {
  return files.alone(key, async () => {
    const login = files.read(key);
    // Delete the tokens first, whatever the authorization server answers.
    files.remove(key);
    const grants = Object.values(login?.grants ?? {}).filter(({ tokens }) => tokens !== undefined);
    if (grants.length === 0) return 'none';
    const fetch = await openGuardedFetch(server, { signal });
    const results = await Promise.all(grants.map((grant) => revoke(grant, fetch).catch(() => false)));
    return results.every(Boolean) ? 'revoked' : 'unrevoked';
  });
}

async function revoke({ metadata, tokens, client }: KeptGrant, fetch: GuardedFetch): Promise<boolean> {
  const endpoint = metadata['revocation_endpoint'];
  if (typeof endpoint !== 'string' || !URL.canParse(endpoint) || tokens === undefined || client === undefined)
    return false;
  refuseScheme(new URL(endpoint));
  const offered = metadata['revocation_endpoint_auth_methods_supported'];
  const methods = Array.isArray(offered) ? offered.filter((one) => typeof one === 'string') : [];
  const method = selectClientAuthMethod(clientInformation(client), methods);
  const one = async (token: string, hint: string): Promise<boolean> => {
    const form = new URLSearchParams({ token, token_type_hint: hint });
    const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded' });
    if (method === 'client_secret_basic') {
      const pair = `${encodeURIComponent(client.id)}:${encodeURIComponent(client.secret ?? '')}`;
      headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`);
    } else {
      form.set('client_id', client.id);
      if (method === 'client_secret_post' && client.secret !== undefined)
        form.set('client_secret', client.secret);
    }
    const response = await fetch(endpoint, { method: 'POST', headers, body: form });
    return response.ok;
  };
  const refresh = tokens.refresh === undefined ? true : await one(tokens.refresh, 'refresh_token');
  return (await one(tokens.access, 'access_token')) && refresh;
}
