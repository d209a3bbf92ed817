import type { Log } from '../../../ports/log.js';
import type { Clock } from '../options.js';
import type { OpenLogin } from './begin-login.js';
import { type Challenge, isGranted, scopeUnion } from './challenge.js';
import { grantOf, type KeptLogin, type KeptTokens, type LoginFiles, loginKey } from './kept-login.js';
import { LoginFailure, type LoginSettings } from './settings.js';
import type * as Work from './work.js';

export interface UpstreamLoginParts {
  readonly server: string;
  readonly settings: LoginSettings;
  readonly files: LoginFiles;
  readonly clock: Clock;
  readonly log: Log;
}

/** A request that the server refused because it requires a login. */
export interface LoginRefusal {
  readonly status: 401 | 403;
  readonly challenge: Challenge;
  /** The authorization header of the request. */
  readonly used: string | undefined;
}

/** `again`: retry with the new token. `login`: the user must log in. `detail`: a temporary failure. */
export type AfterRefusal = 'again' | 'login' | { readonly detail: string };

/** The login to one server, as used by the running gateway. Network code is loaded on demand. */
export interface UpstreamLogin {
  /** Whether the server refuses all requests until the user logs in. */
  readonly isNeeded: boolean;
  readonly tokens: KeptTokens | undefined;
  /** The current authorization header. */
  header(): string | undefined;
  /** Set if the token is about to expire; requests wait for the new one. */
  whenFresh(): Promise<void> | undefined;
  refused(refusal: LoginRefusal): Promise<AfterRefusal>;
  /** A login link for the user. All callers get the same link while it is valid. */
  offer(): Promise<string>;
  /** Resolves after the login or the timeout. */
  settled(signal: AbortSignal, ms: number): Promise<void>;
  /** Called when a login is needed, and after it succeeds. */
  onChange(listener: () => void): () => void;
  close(): void;
}

/** How often to check for a login or logout by another process. */
const lookMs = 1000;
const renewAgainMs = 10_000;

export function openUpstreamLogin(parts: UpstreamLoginParts): UpstreamLogin {
  const { server, settings, files, clock, log } = parts;
  const key = loginKey(server, settings);
  const life = new AbortController();
  const listeners = new Set<() => void>();
  let kept: KeptLogin | undefined = files.read(key);
  let stamp = files.stamp(key);
  let lookedAt = clock.now();
  let need: Challenge | undefined;
  let lastChallenge: Challenge = {};
  let renewing: Promise<boolean> | undefined;
  let renewAt = 0;
  let flow: Promise<OpenLogin> | undefined;
  let stopLooking: (() => void) | undefined;

  const tokens = (): KeptTokens | undefined => grantOf(kept)?.tokens;

  function look(): void {
    lookedAt = clock.now();
    const seen = files.stamp(key);
    if (seen === stamp) return;
    const before = tokens()?.access;
    stamp = seen;
    kept = files.read(key);
    const now = tokens()?.access;
    if (now === before) return;
    if (now !== undefined) need = undefined;
    changed();
  }

  function changed(): void {
    for (const listener of listeners) listener();
  }

  function header(): string | undefined {
    if (clock.now() - lookedAt >= lookMs) look();
    const access = tokens()?.access;
    return access === undefined ? undefined : `Bearer ${access}`;
  }

  /** Polls only while a login is needed. */
  function keepLooking(): void {
    stopLooking ??= clock.after(
      lookMs,
      () => {
        stopLooking = undefined;
        look();
        if (need !== undefined && !life.signal.aborted) keepLooking();
      },
      true,
    );
  }

  function renewOnce(challenge: Challenge | undefined): Promise<boolean> {
    const used = tokens()?.access;
    if (used === undefined) return Promise.resolve(false);
    renewing ??= load()
      .then(({ renew }) =>
        renew({ server, key, files, settings, used, signal: life.signal, ...(challenge && { challenge }) }),
      )
      .finally(() => {
        renewing = undefined;
        look();
      });
    return renewing;
  }

  function mustLogIn(challenge: Challenge): AfterRefusal {
    lastChallenge = challenge;
    const isNew = need === undefined;
    need = challenge;
    keepLooking();
    if (isNew) {
      log('warn', 'the server requires a login');
      changed();
    }
    return 'login';
  }

  /** The server accepts the token, but this request needs more scopes. */
  async function wantMore(challenge: Challenge): Promise<AfterRefusal> {
    const granted = tokens()?.scope;
    if (challenge.scope === undefined || isGranted(challenge.scope, granted))
      return { detail: 'HTTP 403: insufficient_scope, although all requested scopes were granted' };
    lastChallenge = challenge;
    const wanted = scopeUnion(granted, kept?.wanted, challenge.scope);
    if (wanted !== undefined && wanted !== kept?.wanted) {
      const { rememberWanted } = await load();
      await rememberWanted(files, key, wanted);
      look();
    }
    // An existing link requests too few scopes.
    flow = undefined;
    return 'login';
  }

  async function refused({ status, challenge, used }: LoginRefusal): Promise<AfterRefusal> {
    look();
    const now = header();
    if (now !== undefined && now !== used) return 'again';
    if (status === 403) return wantMore(challenge);
    if (used === undefined) return mustLogIn(challenge);
    try {
      const isRenewed = await renewOnce(challenge);
      if (isRenewed && header() !== used) return 'again';
    } catch (error) {
      return { detail: `the login could not be renewed: ${describeError(error)}` };
    }
    return mustLogIn(challenge);
  }

  function begin(): Promise<OpenLogin> {
    const begun = load().then(({ beginLogin }) =>
      beginLogin({ server, key, files, settings, challenge: lastChallenge, signal: life.signal }),
    );
    const over = (): void => {
      if (flow === begun) flow = undefined;
    };
    begun.then(({ finished }) => finished.catch(told).finally(() => (over(), look())), over);
    return begun;
  }

  function told(error: unknown): void {
    if (!life.signal.aborted) log('warn', 'a login failed', { reason: describeError(error) });
  }

  return {
    get isNeeded() {
      return need !== undefined;
    },
    get tokens() {
      return tokens();
    },
    header,
    whenFresh() {
      const { until, refresh } = tokens() ?? {};
      const now = clock.now();
      if (until === undefined || refresh === undefined || until > now || renewAt > now) return undefined;
      renewAt = now + renewAgainMs;
      // If this fails, the server's response to the old token reports it.
      return renewOnce(undefined).then(
        () => undefined,
        () => undefined,
      );
    },
    refused,
    async offer() {
      const { link } = await (flow ??= begin());
      return link;
    },
    settled(signal, ms) {
      return new Promise((resolve) => {
        const done = (): void => {
          stop();
          listeners.delete(done);
          signal.removeEventListener('abort', done);
          resolve();
        };
        const stop = clock.after(ms, done, true);
        listeners.add(done);
        signal.addEventListener('abort', done, { once: true });
        flow?.then(({ finished }) => finished.catch(done), done);
        if (signal.aborted) done();
      });
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close() {
      life.abort();
      stopLooking?.();
      listeners.clear();
    },
  };
}

/** Loads the SDK-based code only when a token is needed. */
function load(): Promise<typeof Work> {
  return import('./work.js');
}

function describeError(error: unknown): string {
  return error instanceof LoginFailure ? error.message : 'internal error';
}
