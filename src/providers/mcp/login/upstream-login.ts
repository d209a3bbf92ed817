import type { Log } from '../../../ports/log.js';
import type { Clock } from '../options.js';
import type { OpenLogin } from './begin-login.js';
import { areTooMany, type Challenge, isGranted, scopeUnion } from './challenge.js';
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
/** A link is replaced by one with more scopes at most this often. */
const replaceFlowMs = 10_000;

export function openUpstreamLogin(parts: UpstreamLoginParts): UpstreamLogin {
  return new ServerLogin(parts);
}

class ServerLogin implements UpstreamLogin {
  readonly #parts: UpstreamLoginParts;
  readonly #key: string;
  readonly #life = new AbortController();
  readonly #listeners = new Set<() => void>();
  #kept: KeptLogin | undefined;
  #stamp: string;
  #lookedAt: number;
  #need: Challenge | undefined;
  #lastChallenge: Challenge = {};
  #renewing: Promise<boolean> | undefined;
  #renewAt = 0;
  #flow: Promise<OpenLogin> | undefined;
  #flowEnd = new AbortController();
  #flowAt = 0;
  /** Scopes that servers asked for while the flow was open, and whether its link requests too few of them. */
  #asked: string | undefined;
  #isFlowStale = false;
  #stopLooking: (() => void) | undefined;

  constructor(parts: UpstreamLoginParts) {
    this.#parts = parts;
    this.#key = loginKey(parts.server, parts.settings);
    this.#kept = parts.files.read(this.#key);
    this.#stamp = parts.files.stamp(this.#key);
    this.#lookedAt = parts.clock.now();
  }

  get isNeeded(): boolean {
    return this.#need !== undefined;
  }

  get tokens(): KeptTokens | undefined {
    return grantOf(this.#kept)?.tokens;
  }

  header(): string | undefined {
    if (this.#parts.clock.now() - this.#lookedAt >= lookMs) this.#look();
    const access = this.tokens?.access;
    return access === undefined ? undefined : `Bearer ${access}`;
  }

  whenFresh(): Promise<void> | undefined {
    const { until, refresh } = this.tokens ?? {};
    const now = this.#parts.clock.now();
    if (until === undefined || refresh === undefined || until > now || this.#renewAt > now) return undefined;
    this.#renewAt = now + renewAgainMs;
    // If this fails, the server's response to the old token reports it.
    return this.#renewOnce(undefined).then(
      () => undefined,
      () => undefined,
    );
  }

  async refused({ status, challenge, used }: LoginRefusal): Promise<AfterRefusal> {
    this.#look();
    const now = this.header();
    if (now !== undefined && now !== used) return 'again';
    if (status === 403) return this.#wantMore(challenge);
    if (used === undefined) return this.#mustLogIn(challenge);
    try {
      const isRenewed = await this.#renewOnce(challenge);
      if (isRenewed && this.header() !== used) return 'again';
    } catch (error) {
      return { detail: `the login could not be renewed: ${describeError(error)}` };
    }
    return this.#mustLogIn(challenge);
  }

  async offer(): Promise<string> {
    if (this.#isFlowStale && this.#parts.clock.now() - this.#flowAt >= replaceFlowMs) this.#endFlow();
    const { link } = await (this.#flow ??= this.#begin());
    return link;
  }

  settled(signal: AbortSignal, ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        stop();
        this.#listeners.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      const stop = this.#parts.clock.after(ms, done, true);
      this.#listeners.add(done);
      signal.addEventListener('abort', done, { once: true });
      this.#flow?.then(({ finished }) => finished.catch(done), done);
      if (signal.aborted) done();
    });
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  close(): void {
    this.#life.abort();
    this.#stopLooking?.();
    this.#listeners.clear();
  }

  #look(): void {
    this.#lookedAt = this.#parts.clock.now();
    const seen = this.#parts.files.stamp(this.#key);
    if (seen === this.#stamp) return;
    const before = this.tokens?.access;
    this.#stamp = seen;
    this.#kept = this.#parts.files.read(this.#key);
    const now = this.tokens?.access;
    if (now === before) return;
    if (now !== undefined) this.#need = undefined;
    this.#changed();
  }

  #changed(): void {
    for (const listener of this.#listeners) listener();
  }

  /** Polls only while a login is needed. */
  #keepLooking(): void {
    this.#stopLooking ??= this.#parts.clock.after(
      lookMs,
      () => {
        this.#stopLooking = undefined;
        this.#look();
        if (this.#need !== undefined && !this.#life.signal.aborted) this.#keepLooking();
      },
      true,
    );
  }

  #renewOnce(challenge: Challenge | undefined): Promise<boolean> {
    const used = this.tokens?.access;
    if (used === undefined) return Promise.resolve(false);
    this.#renewing ??= load()
      .then(({ renew }) =>
        renew({
          server: this.#parts.server,
          key: this.#key,
          files: this.#parts.files,
          settings: this.#parts.settings,
          used,
          signal: this.#life.signal,
          ...(challenge && { challenge }),
        }),
      )
      .finally(() => {
        this.#renewing = undefined;
        this.#look();
      });
    return this.#renewing;
  }

  #mustLogIn(challenge: Challenge): AfterRefusal {
    this.#lastChallenge = challenge;
    const isNew = this.#need === undefined;
    this.#need = challenge;
    this.#keepLooking();
    if (isNew) {
      this.#parts.log('warn', 'the server requires a login');
      this.#changed();
    }
    return 'login';
  }

  /** The server accepts the token, but this request needs more scopes. */
  async #wantMore(challenge: Challenge): Promise<AfterRefusal> {
    const granted = this.tokens?.scope;
    if (challenge.scope === undefined || isGranted(challenge.scope, granted))
      return { detail: 'HTTP 403: insufficient_scope, although all requested scopes were granted' };
    const wanted = scopeUnion(granted, this.#kept?.wanted, this.#asked, challenge.scope);
    if (areTooMany(wanted)) return { detail: 'HTTP 403: the server asks for too many OAuth scopes' };
    this.#lastChallenge = { ...challenge, ...(wanted !== undefined && { scope: wanted }) };
    // An existing link requests too few scopes.
    if (this.#flow !== undefined && !isGranted(wanted, this.#asked)) this.#isFlowStale = true;
    this.#asked = wanted;
    if (wanted !== undefined && wanted !== this.#kept?.wanted) {
      const { rememberWanted } = await load();
      await rememberWanted(this.#parts.files, this.#key, wanted);
      this.#look();
    }
    return 'login';
  }

  /** Closes the port of a link that is replaced. */
  #endFlow(): void {
    this.#flowEnd.abort();
    this.#flow = undefined;
  }

  #begin(): Promise<OpenLogin> {
    const end = new AbortController();
    this.#flowEnd = end;
    this.#flowAt = this.#parts.clock.now();
    this.#isFlowStale = false;
    const begun = load().then(({ beginLogin }) =>
      beginLogin({
        server: this.#parts.server,
        key: this.#key,
        files: this.#parts.files,
        settings: this.#parts.settings,
        challenge: this.#lastChallenge,
        signal: AbortSignal.any([this.#life.signal, end.signal]),
      }),
    );
    const over = (): void => {
      if (this.#flow !== begun) return;
      this.#flow = undefined;
      this.#asked = undefined;
    };
    begun.then(
      ({ finished }) =>
        finished
          .catch((error: unknown) => (end.signal.aborted ? undefined : this.#reportFailure(error)))
          .finally(() => (over(), this.#look())),
      over,
    );
    return begun;
  }

  #reportFailure(error: unknown): void {
    if (!this.#life.signal.aborted)
      this.#parts.log('warn', 'a login failed', { reason: describeError(error) });
  }
}

/** Loads the SDK-based code only when a token is needed. */
function load(): Promise<typeof Work> {
  return import('./work.js');
}

function describeError(error: unknown): string {
  return error instanceof LoginFailure ? error.message : 'internal error';
}
