import type { Soon, TokenStore, ZoneHead } from '../ports/index.js';
import { hasExpired, type Standing, standingOf } from './chain.js';
import { createRecent } from './recent.js';
import { afterwards } from './soon.js';

/** When a question was asked: at which revision of the store, and after how many change hints. */
export interface Moment {
  readonly head: ZoneHead;
  readonly hints: number;
  readonly at: number;
}

export interface StandingParts {
  readonly store: TokenStore;
  readonly zone: string;
  readonly now: () => number;
  /** A monotonic clock, because the system clock may be set back. */
  readonly elapsed?: () => number;
}

/** Caches the state of tokens by id, for open sessions. */
export interface Standings {
  /** Asks the store for its revision. The result is dated at the time of the question, not of the answer. */
  atThisMoment<T>(answer: (moment: Moment) => Soon<T>): Soon<T>;
  /** Includes its parents, because every link of a chain is looked up by its own id. */
  remember(id: string, moment: Moment, standing: Standing): void;
  check(tokenId: string, head?: ZoneHead): Soon<boolean>;
  isAlive(tokenId: string): boolean;
  onChange(listener: () => void): () => void;
  close(): void;
}

interface Known extends Moment {
  readonly standing: Standing;
}

const maxKnown = 10_000;
/** Maximum age before a background refresh, for stores without a synchronous revision. */
const renewMs = 5000;
const unknown: Standing = Object.freeze({ kind: 'void', reason: 'token_unknown' });

export function openStandings({
  store,
  zone,
  now,
  elapsed = () => performance.now(),
}: StandingParts): Standings {
  const byId = createRecent<string, Known>(maxKnown);
  const listeners = new Set<() => void>();
  /** Ids of lookups in progress; at most one per caller. */
  const renewing = new Set<string>();
  let hints = 0;
  let isLate = false;

  function tellAll(): void {
    for (const listener of [...listeners]) listener();
  }

  const stopWatching = store.onChange((changed) => {
    if (changed !== zone) return;
    hints += 1;
    tellAll();
  });

  const isGood = (standing: Standing): boolean =>
    standing.kind === 'good' && hasExpired(standing, now()) === undefined;

  function atThisMoment<T>(answer: (moment: Moment) => Soon<T>): Soon<T> {
    const asked = { hints, at: elapsed() };
    return afterwards(store.head(zone), (head) => answer({ ...asked, head }));
  }

  function remember(id: string, moment: Moment, standing: Standing): void {
    const known = byId.get(id);
    // A late answer must not make a void token valid again.
    const isOlder = standing.kind === 'good' && known !== undefined && isBefore(moment, known);
    if (!isOlder) byId.set(id, { ...moment, standing });
    const above = standing.kind === 'good' ? standing.parent : undefined;
    if (above !== undefined) remember(above.tokenId, moment, above);
  }

  function stand(tokenId: string, moment: Moment): Soon<Standing> {
    const known = byId.get(tokenId);
    const found =
      known?.head.history === moment.head.history
        ? known.standing
        : afterwards(store.token(tokenId), (record) =>
            record === undefined ? unknown : standingOf(store, zone, record),
          );
    return afterwards(found, (standing) => {
      remember(tokenId, moment, standing);
      return standing;
    });
  }

  function check(tokenId: string, head?: ZoneHead): Soon<boolean> {
    const standing =
      head === undefined
        ? atThisMoment((moment) => stand(tokenId, moment))
        : stand(tokenId, { head, hints: -1, at: elapsed() });
    return afterwards(standing, isGood);
  }

  /** Undefined if the store cannot answer synchronously. */
  function checkNow(tokenId: string): boolean | undefined {
    if (isLate) return undefined;
    try {
      const checked = check(tokenId);
      if (!(checked instanceof Promise)) return checked;
      isLate = true;
      checked.catch(() => undefined);
    } catch {
      // An unavailable store does not end sessions; requests fail and can be retried.
    }
    return undefined;
  }

  /** The caller continues with cached data and is notified if it was wrong. */
  async function renew(tokenId: string): Promise<void> {
    const before = hints;
    renewing.add(tokenId);
    try {
      const isStillGood = await check(tokenId);
      renewing.delete(tokenId);
      if (!isStillGood || hints !== before) tellAll();
    } catch {
      // See above: an unavailable store ends no session.
      renewing.delete(tokenId);
    }
  }

  return {
    atThisMoment,
    remember,
    check,
    isAlive(tokenId) {
      const known = byId.get(tokenId);
      if (known !== undefined && !isGood(known.standing)) return false;
      const answer = checkNow(tokenId);
      if (answer !== undefined) return answer;
      const isFresh = known?.hints === hints && elapsed() - known.at < renewMs;
      if (!isFresh && !renewing.has(tokenId)) void renew(tokenId);
      return known !== undefined;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      stopWatching();
      listeners.clear();
    },
  };
}

function isBefore(one: Moment, other: Moment): boolean {
  const [before, after] = [one.head.revision, other.head.revision];
  return before < after || (before === after && one.hints < other.hints);
}
