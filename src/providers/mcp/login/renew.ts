import type { Challenge } from './challenge.js';
import { namedIssuer, sameIssuer } from './discover.js';
import { openGuardedFetch } from './guarded-fetch.js';
import { grantOf, type LoginFiles, withGrant, withoutTokens } from './kept-login.js';
import type { LoginSettings } from './settings.js';
import { refreshTokens } from './tokens.js';

export interface RenewParts {
  readonly server: string;
  readonly key: string;
  readonly files: LoginFiles;
  readonly settings: LoginSettings;
  /** The expired token. */
  readonly used: string;
  /** Set if the server refused the token. Then it may also have changed its authorization server. */
  readonly challenge?: Challenge;
  readonly signal: AbortSignal;
}

/**
 * Renews the token once for all processes: those that waited for the lock use the new token. Returns false if a new login
 * is needed. Throws a `LoginFailure` if a retry may succeed.
 */
export function renew(parts: RenewParts): Promise<boolean> {
  return parts.files.alone(parts.key, () => renewAlone(parts));
}

async function renewAlone(parts: RenewParts): Promise<boolean> {
  const { server, key, files, settings, used, challenge, signal } = parts;
  const login = files.read(key);
  const grant = grantOf(login);
  if (login?.issuer === undefined || grant?.tokens === undefined) return false;
  if (grant.tokens.access !== used) return true;
  if (grant.tokens.refresh === undefined) return false;
  const fetch = await openGuardedFetch(server, { signal, answeredFrom: challenge?.answeredFrom });
  if (challenge !== undefined) {
    const named = await namedIssuer({ server, challenge, settings, fetch });
    if (named !== undefined && !sameIssuer(named, login.issuer)) return false;
  }
  const tokens = await refreshTokens(login.issuer, grant, fetch);
  const next = tokens === undefined ? withoutTokens(grant) : { ...grant, tokens };
  files.write(key, withGrant(login, login.issuer, next));
  return tokens !== undefined;
}

/** Stores additional scopes that the server requires, for the next login. */
export function rememberWanted(files: LoginFiles, key: string, wanted: string): Promise<void> {
  return files.alone(key, () => {
    const login = files.read(key);
    if (login !== undefined) files.write(key, { ...login, wanted });
    return Promise.resolve();
  });
}
