import type { Soon, TokenStore, ZoneHead } from '../ports/index.js';
import { hasExpired, type TokenStatus, statusOf } from './chain.js';
import { createRecent } from './recent.js';
import { whenReady } from './soon.js';

/** When a question was asked: at which revision of the store, and after how many change hints. */
export interface Moment {
  readonly head: ZoneHead;
  readonly hints: number;
  readonly at: number;
}

export interface TokenStatusesParts {
  readonly store: TokenStore;
  readonly zone: string;
  readonly now: () => number;
  /** A monotonic clock, because the system clock may be set back. */
  readonly elapsed?: () => number;
}

/** Caches the state of tokens by id, for open sessions. */
export interface TokenStatuses {
  /** Asks the store for its revision. The result is dated at the time of the question, not of the answer. */
  atThisMoment<T>(answer: (moment: Moment) => Soon<T>): Soon<T>;
  /** Includes its parents, because every link of a chain is looked up by its own id. */
  remember(id: string, moment: Moment, status: TokenStatus): void;
  check(tokenId: string, head?: ZoneHead): Soon<boolean>;
  isAlive(tokenId: string): boolean;
  onChange(listener: () => void): () => void;
  close(): void;
}

interface Known extends Moment {
  readonly status: TokenStatus;
}

const maxKnown = 10_000;
/** Maximum age before a background refresh, for stores without a synchronous revision. */
const renewMs = 5000;
const unknown: TokenStatus = Object.freeze({ kind: 'void', reason: 'token_unknown' });

export function openTokenStatuses(parts: TokenStatusesParts): TokenStatuses {
  return new CachedStatuses(parts);
}

class CachedStatuses implements TokenStatuses {
  readonly #store: TokenStore;
  readonly #zone: string;
  readonly #now: () => number;
  readonly #elapsed: () => number;
  readonly #byId = createRecent<string, Known>(maxKnown);
  readonly #listeners = new Set<() => void>();
  /** Ids of lookups in progress; at most one per token. */
  readonly #renewing = new Set<string>();
  readonly #stopWatching: () => void;
  #hints = 0;
  /** Whether the store answers asynchronously. */
  #isLate = false;

  constructor({ store, zone, now, elapsed = () => performance.now() }: TokenStatusesParts) {
    this.#store = store;
    this.#zone = zone;
    this.#now = now;
    this.#elapsed = elapsed;
    this.#stopWatching = store.onChange((changed) => {
      if (changed !== zone) return;
      this.#hints += 1;
      this.#notify();
    });
  }

  atThisMoment<T>(answer: (moment: Moment) => Soon<T>): Soon<T> {
    const asked = { hints: this.#hints, at: this.#elapsed() };
    return whenReady(this.#store.head(this.#zone), (head) => answer({ ...asked, head }));
  }

  remember(id: string, moment: Moment, status: TokenStatus): void {
    const known = this.#byId.get(id);
    // A late answer must not make a void token valid again.
    const isOlder = status.kind === 'good' && known !== undefined && isBefore(moment, known);
    if (!isOlder) this.#byId.set(id, { ...moment, status });
    const parent = status.kind === 'good' ? status.parent : undefined;
    if (parent !== undefined) this.remember(parent.tokenId, moment, parent);
  }

  check(tokenId: string, head?: ZoneHead): Soon<boolean> {
    const status =
      head === undefined
        ? this.atThisMoment((moment) => this.#find(tokenId, moment))
        : this.#find(tokenId, { head, hints: -1, at: this.#elapsed() });
    return whenReady(status, (found) => this.#isGood(found));
  }

  isAlive(tokenId: string): boolean {
    const known = this.#byId.get(tokenId);
    if (known !== undefined && !this.#isGood(known.status)) return false;
    const answer = this.#checkNow(tokenId);
    if (answer !== undefined) return answer;
    const isFresh = known?.hints === this.#hints && this.#elapsed() - known.at < renewMs;
    if (!isFresh && !this.#renewing.has(tokenId)) void this.#renew(tokenId);
    return known !== undefined;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    this.#stopWatching();
    this.#listeners.clear();
  }

  #find(tokenId: string, moment: Moment): Soon<TokenStatus> {
    const known = this.#byId.get(tokenId);
    const found =
      known?.head.history === moment.head.history
        ? known.status
        : whenReady(this.#store.token(tokenId), (record) =>
            record === undefined ? unknown : statusOf(this.#store, this.#zone, record),
          );
    return whenReady(found, (status) => {
      this.remember(tokenId, moment, status);
      return status;
    });
  }

  #isGood(status: TokenStatus): boolean {
    return status.kind === 'good' && hasExpired(status, this.#now()) === undefined;
  }

  /** Undefined if the store cannot answer synchronously. */
  #checkNow(tokenId: string): boolean | undefined {
    if (this.#isLate) return undefined;
    try {
      const checked = this.check(tokenId);
      if (!(checked instanceof Promise)) return checked;
      this.#isLate = true;
      checked.catch(() => undefined);
    } catch {
      // An unavailable store does not end sessions; requests fail and can be retried.
    }
    return undefined;
  }

  /** The caller continues with cached data and is notified if it was wrong. */
  async #renew(tokenId: string): Promise<void> {
    const before = this.#hints;
    this.#renewing.add(tokenId);
    try {
      const isStillGood = await this.check(tokenId);
      this.#renewing.delete(tokenId);
      if (!isStillGood || this.#hints !== before) this.#notify();
    } catch {
      // An unavailable store does not end sessions.
      this.#renewing.delete(tokenId);
    }
  }

  #notify(): void {
    for (const listener of [...this.#listeners]) listener();
  }
}

function isBefore(one: Moment, other: Moment): boolean {
  const [before, after] = [one.head.revision, other.head.revision];
  return before < after || (before === after && one.hints < other.hints);
}
