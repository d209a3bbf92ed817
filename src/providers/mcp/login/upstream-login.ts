import type { Log } from '../../../kernel/index.js';
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

/** A request that the server did not take for want of a login. */
export interface LoginRefusal {
  readonly status: 401 | 403;
  readonly challenge: Challenge;
  /** The header that the request had. */
  readonly used: string | undefined;
}

/** `again`: there is another token now. `login`: a person must log in. A text: it may go better later. */
export type AfterRefusal = 'again' | 'login' | { readonly detail: string };

/** The login to one server, as the running gate uses it. All that takes a network is loaded when it is needed. */
export interface UpstreamLogin {
  /** Whether the server takes nothing from us before somebody logs in. */
  readonly isNeeded: boolean;
  readonly tokens: KeptTokens | undefined;
  /** What goes with a request now. */
  header(): string | undefined;
  /** Set where the token is about to end: requests wait for the new one. */
  whenFresh(): Promise<void> | undefined;
  refused(refusal: LoginRefusal): Promise<AfterRefusal>;
  /** A link for a person; the same one for all who ask while it is good. */
  offer(): Promise<string>;
  /** Resolves when somebody has logged in, or when nobody did in time. */
  settled(signal: AbortSignal, ms: number): Promise<void>;
  /** Called when the login is needed, and when it is there. */
  onChange(listener: () => void): () => void;
  close(): void;
}

/** Another process may log in or out: its word reaches us within this. */
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

  /** Only while somebody has to come, so that the gate sees when he came. */
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
      log('warn', 'the server wants a login');
      changed();
    }
    return 'login';
  }

  /** The server takes the token, but for this it wants one that allows more. */
  async function wantMore(challenge: Challenge): Promise<AfterRefusal> {
    const granted = tokens()?.scope;
    if (challenge.scope === undefined || isGranted(challenge.scope, granted))
      return { detail: 'HTTP 403: insufficient_scope, though all that it names was granted' };
    lastChallenge = challenge;
    const wanted = scopeUnion(granted, kept?.wanted, challenge.scope);
    if (wanted !== undefined && wanted !== kept?.wanted) {
      const { rememberWanted } = await load();
      await rememberWanted(files, key, wanted);
      look();
    }
    // A link that asks for less is of no use.
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
      return { detail: `the login could not be renewed: ${wordsOf(error)}` };
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
    if (!life.signal.aborted) log('warn', 'a login came to nothing', { reason: wordsOf(error) });
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
      // What fails here is told by the server's answer to the old token.
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

/** Loads the SDK's part of this: not before a token must be had. */
function load(): Promise<typeof Work> {
  return import('./work.js');
}

function wordsOf(error: unknown): string {
  return error instanceof LoginFailure ? error.message : 'a defect';
}
