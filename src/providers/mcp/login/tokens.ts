import {
  exchangeAuthorization,
  IssuerMismatchError,
  type OAuthTokens,
  OAuthError,
  refreshAuthorization,
} from '@modelcontextprotocol/client';
import { clientInformation } from './client.js';
import type { Found } from './discover.js';
import type { GuardedFetch } from './guarded-fetch.js';
import type { KeptClient, KeptGrant, KeptTokens } from './kept-login.js';
import { LoginFailure, told } from './settings.js';

/** The parameters of the redirect from the browser. */
export interface Returned {
  readonly code: string;
  /** The issuer, if the authorization server sends it (RFC 9207). */
  readonly iss: string | undefined;
}

export interface ExchangeParts {
  readonly found: Found;
  readonly client: KeptClient;
  readonly returned: Returned;
  readonly verifier: string;
  readonly redirect: string;
  /** The requested scope. It counts as granted unless the response says otherwise. */
  readonly scope: string | undefined;
  readonly fetch: GuardedFetch;
}

/** Exchanges the code for tokens. */
export async function exchangeCode(parts: ExchangeParts): Promise<KeptTokens> {
  const { found, client, returned, verifier, redirect, fetch } = parts;
  const secrets = [client.secret, returned.code, verifier];
  try {
    const tokens = await exchangeAuthorization(found.issuer, {
      metadata: found.metadata,
      clientInformation: clientInformation(client),
      authorizationCode: returned.code,
      codeVerifier: verifier,
      redirectUri: redirect,
      resource: found.resource,
      fetchFn: fetch,
      ...(returned.iss !== undefined && { iss: returned.iss }),
    });
    return keptTokens(tokens, parts.scope);
  } catch (error) {
    throw exchangeFailure(found.issuer, error, secrets);
  }
}

/** Refreshes an expired token. Returns undefined if a new login is needed. */
export async function refreshTokens(
  issuer: string,
  grant: KeptGrant,
  fetch: GuardedFetch,
): Promise<KeptTokens | undefined> {
  const { client, tokens, metadata, resource } = grant;
  if (client === undefined || tokens?.refresh === undefined) return undefined;
  const secrets = [client.secret, tokens.refresh, tokens.access];
  try {
    const renewed = await refreshAuthorization(issuer, {
      metadata: metadata as Found['metadata'],
      clientInformation: clientInformation(client),
      refreshToken: tokens.refresh,
      fetchFn: fetch,
      ...(resource !== undefined && { resource }),
    });
    return keptTokens(renewed, tokens.scope);
  } catch (error) {
    if (isOver(error)) return undefined;
    throw exchangeFailure(issuer, error, secrets);
  }
}

const longestSeconds = 10 * 365 * 24 * 3600;

const overCodes = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client', 'invalid_target']);

function isOver(error: unknown): boolean {
  return error instanceof OAuthError && overCodes.has(error.code);
}

/** Characters that are allowed in a header. */
const sound = /^[\x21-\x7e]{1,65536}$/;

function keptTokens(tokens: OAuthTokens, asked: string | undefined): KeptTokens {
  const { access_token: access, refresh_token: refresh, expires_in: lasts, token_type: type } = tokens;
  if (type.toLowerCase() !== 'bearer' || !sound.test(access))
    throw new LoginFailure('unfit', 'The authorization server returned an unsupported type of token.');
  const scope = tokens.scope ?? asked;
  return {
    access,
    ...(refresh !== undefined && { refresh }),
    ...(lasts !== undefined && { until: endOf(lastsMs(lasts)) }),
    ...(scope !== undefined && { scope }),
  };
}

/** Clamps the lifetime, because authorization servers may send any number. */
function lastsMs(seconds: number): number {
  return Math.min(Math.max(0, seconds) || 0, longestSeconds) * 1000;
}

/** Slightly before the real expiry, so that requests in flight do not use an expired token. */
function endOf(lastsMs: number): number {
  return Date.now() + lastsMs - Math.min(30_000, lastsMs / 10);
}

function exchangeFailure(
  issuer: string,
  error: unknown,
  secrets: readonly (string | undefined)[],
): LoginFailure {
  if (error instanceof LoginFailure) return error;
  if (error instanceof IssuerMismatchError) {
    return new LoginFailure(
      'callback',
      'The response came from a different authorization server, so nothing was sent to it.',
    );
  }
  if (!(error instanceof OAuthError))
    return new LoginFailure('unfit', `${told(issuer)} returned no usable tokens.`);
  const isBroken = error.code === 'server_error' || error.code === 'temporarily_unavailable';
  // A broken server may send anything, so its message is not repeated.
  const said = isBroken ? '' : `: ${told(error.message, secrets)}`;
  return new LoginFailure(
    isBroken ? 'unreachable' : 'denied',
    `${told(issuer)} returned no tokens (${told(error.code, secrets)})${said}`,
  );
}
