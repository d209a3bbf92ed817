import { startAuthorization, validateAuthorizationResponseIssuer } from '@modelcontextprotocol/client';
import { type Callback, type CameBack, openCallback } from './callback.js';
import { type Challenge, scopeUnion } from './challenge.js';
import { clientFor, registeredClient } from './client.js';
import { discover, type Found } from './discover.js';
import { type GuardedFetch, openGuardedFetch } from './guarded-fetch.js';
import {
  grantOf,
  type KeptClient,
  type KeptLogin,
  type KeptTokens,
  type LoginFiles,
  withGrant,
} from './kept-login.js';
import { probe } from './probe.js';
import { LoginFailure, type LoginSettings, told } from './settings.js';
import { exchangeCode, type Returned } from './tokens.js';

export interface BeginParts {
  readonly server: string;
  readonly key: string;
  readonly files: LoginFiles;
  readonly settings: LoginSettings;
  /** The challenge of the refused request. If absent, the server is asked. */
  readonly challenge?: Challenge;
  readonly signal: AbortSignal;
  /** How long to wait for the browser. */
  readonly longestMs?: number;
}

/** A login that waits for the user in the browser. */
export interface OpenLogin {
  readonly link: string;
  readonly redirect: string;
  /** Resolves once the tokens are stored; rejects with a `LoginFailure`. */
  readonly finished: Promise<void>;
  paste(text: string): void;
}

const patienceMs = 5 * 60_000;

/** Discovers where to log in and opens the redirect port. Does not wait for the user. */
export async function beginLogin(parts: BeginParts): Promise<OpenLogin> {
  const { server, settings, signal } = parts;
  const fetch = await openGuardedFetch(server, { signal, answeredFrom: parts.challenge?.answeredFrom });
  const probed = parts.challenge === undefined ? await probe(server, fetch) : undefined;
  const challenge = parts.challenge ?? probed?.challenge ?? {};
  const found = await discover({ server, challenge, settings, fetch }).catch((error: unknown) => {
    throw probed?.isOpen === true && isNone(error) ? needless(server) : error;
  });
  const kept = parts.files.read(parts.key);
  const scope = scopeFor(found, challenge, settings, kept);
  const before = registeredClient(kept, found.issuer)?.redirect;
  const callback = await openCallback({
    must: settings.port ?? 0,
    ...(before !== undefined && { options: Number(new URL(before).port) }),
  });
  try {
    const client = await clientFor({ found, settings, kept, redirect: callback.redirect, scope, fetch });
    return await open(parts, { found, client, scope, callback, fetch });
  } catch (error) {
    callback.close();
    throw error;
  }
}

function isNone(error: unknown): boolean {
  return error instanceof LoginFailure && error.reason === 'none';
}

function needless(server: string): LoginFailure {
  const message = `${told(new URL(server).origin)} does not require a login. You can use it without one.`;
  return new LoginFailure('none', message, 'tidegate servers');
}

/** The scopes to request: what the server needs, what was granted before, and offline access if supported. */
function scopeFor(
  { scopes, metadata }: Found,
  { scope }: Challenge,
  settings: LoginSettings,
  kept: KeptLogin | undefined,
): string | undefined {
  const base = settings.scopes === undefined ? (scope ?? scopes) : settings.scopes.join(' ');
  const before = kept?.wanted === undefined ? undefined : grantOf(kept)?.tokens?.scope;
  const wanted = scopeUnion(before, base, kept?.wanted);
  const lasts = metadata.scopes_supported?.includes('offline_access') === true;
  return wanted === undefined || !lasts ? wanted : scopeUnion(wanted, 'offline_access');
}

interface Given {
  readonly client: KeptClient;
  readonly tokens: KeptTokens;
}

interface Opened {
  readonly found: Found;
  readonly client: KeptClient;
  readonly scope: string | undefined;
  readonly callback: Callback;
  readonly fetch: GuardedFetch;
}

async function open(parts: BeginParts, opened: Opened): Promise<OpenLogin> {
  const { found, client, scope, callback } = opened;
  const { authorizationUrl, codeVerifier } = await startAuthorization(found.issuer, {
    metadata: found.metadata,
    clientInformation: { client_id: client.id },
    redirectUrl: callback.redirect,
    state: callback.state,
    resource: found.resource,
    ...(scope !== undefined && { scope }),
  });
  const finished = finish(parts, opened, codeVerifier).finally(() => callback.close());
  // Avoid an unhandled rejection if no caller waits.
  finished.catch(() => undefined);
  return {
    link: authorizationUrl.href,
    redirect: callback.redirect,
    finished,
    paste: (text) => callback.paste(text),
  };
}

async function finish(parts: BeginParts, opened: Opened, verifier: string): Promise<void> {
  const { found, client, scope, callback, fetch } = opened;
  let back: CameBack | undefined;
  try {
    back = await inTime(callback.cameBack, parts);
    const returned = returnedBy(back, found);
    const { redirect } = callback;
    const tokens = await exchangeCode({ found, client, returned, verifier, redirect, scope, fetch });
    await keep(parts, found, { client, tokens });
    back.end();
  } catch (error) {
    const failure =
      error instanceof LoginFailure ? error : new LoginFailure('unfit', 'The login failed unexpectedly.');
    back?.end(failure.message);
    if (failure.reason !== 'unreachable') await distrustClient(parts, found).catch(() => undefined);
    throw failure;
  }
}

/** Checks the issuer before anything else in the response is used. */
function returnedBy({ code, iss, error }: CameBack, { issuer, metadata }: Found): Returned {
  try {
    const isSaid = metadata['authorization_response_iss_parameter_supported'] === true;
    validateAuthorizationResponseIssuer({ iss, expectedIssuer: issuer, issParameterSupported: isSaid });
  } catch {
    throw new LoginFailure(
      'callback',
      'The response came from a different authorization server, so nothing was sent to it.',
    );
  }
  if (error !== undefined)
    throw new LoginFailure('denied', `${told(issuer)} declined the login: ${told(error)}`);
  if (code === undefined || code === '')
    throw new LoginFailure('callback', `${told(issuer)} redirected the browser without a code.`);
  return { code, iss };
}

function inTime(
  cameBack: Promise<CameBack>,
  { signal, longestMs = patienceMs }: BeginParts,
): Promise<CameBack> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', interrupted);
    };
    const timer = setTimeout(() => {
      stop();
      reject(
        new LoginFailure('late', `The login was not completed in the browser within ${minutes(longestMs)}.`),
      );
    }, longestMs);
    timer.unref();
    const interrupted = (): void => {
      stop();
      reject(new LoginFailure('late', 'The login was cancelled.'));
    };
    signal.addEventListener('abort', interrupted, { once: true });
    if (signal.aborted) interrupted();
    void cameBack.then((back) => {
      stop();
      resolve(back);
    });
  });
}

function minutes(ms: number): string {
  return ms < 60_000 ? `${String(ms / 1000)} s` : `${String(Math.round(ms / 60_000))} minutes`;
}

/** Other processes may have changed the file, so only the entry of this issuer is replaced. */
async function keep(
  { files, key, server }: BeginParts,
  { issuer, metadata, resource }: Found,
  given: Given,
): Promise<void> {
  await files.alone(key, () => {
    const { wanted: _granted, ...login }: KeptLogin = files.read(key) ?? { server, grants: {} };
    files.write(key, withGrant(login, issuer, { ...given, metadata, resource }));
    return Promise.resolve();
  });
}

/** Forgets a client that the authorization server no longer knows, so that the next login registers a new one. */
async function distrustClient({ files, key }: BeginParts, { issuer }: Found): Promise<void> {
  await files.alone(key, () => {
    const login = files.read(key);
    const grant =
      login !== undefined && Object.hasOwn(login.grants, issuer) ? login.grants[issuer] : undefined;
    if (login === undefined || grant?.client === undefined) return Promise.resolve();
    const { redirect: _redirect, ...client } = grant.client;
    files.write(key, { ...login, grants: { ...login.grants, [issuer]: { ...grant, client } } });
    return Promise.resolve();
  });
}
