import type { Soon, TokenStore } from '../ports.js';
import { hasExpired, type Standing, standingOf } from './chain.js';
import { createRecent } from './recent.js';
import { afterwards } from './soon.js';

/** When a question was put: under which revision, and after how many hints of a change. */
export interface Moment {
  readonly revision: number;
  readonly hints: number;
  readonly at: number;
}

export interface StandingParts {
  readonly store: TokenStore;
  readonly zone: string;
  readonly now: () => number;
}

/** How tokens stand, by their ids, for those who came in with them a while ago. */
export interface Standings {
  /** Asks the store for its revision. The moment is that of the question, not of its answer. */
  atThisMoment<T>(answer: (moment: Moment) => Soon<T>): Soon<T>;
  /** With those above it: every link of a chain is asked for by its own id. */
  remember(id: string, moment: Moment, standing: Standing): void;
  check(tokenId: string, revision?: number): Soon<boolean>;
  isAlive(tokenId: string): boolean;
  onChange(listener: () => void): () => void;
  close(): void;
}

interface Known extends Moment {
  readonly standing: Standing;
}

const maxKnown = 10_000;
/** How old an answer may be before it is renewed behind, where no revision is told at once. */
const renewMs = 5000;
const unknown: Standing = Object.freeze({ kind: 'void', reason: 'token_unknown' });

export function openStandings({ store, zone, now }: StandingParts): Standings {
  const byId = createRecent<string, Known>(maxKnown);
  const listeners = new Set<() => void>();
  /** Ids that are being looked up: as many as there are callers at most. */
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
    const asked = { hints, at: now() };
    return afterwards(store.revision(zone), (revision) => answer({ ...asked, revision }));
  }

  function remember(id: string, moment: Moment, standing: Standing): void {
    const known = byId.get(id);
    // An answer that comes late does not make a token good again that is known to be void.
    const isOlder = standing.kind === 'good' && known !== undefined && isBefore(moment, known);
    if (!isOlder) byId.set(id, { ...moment, standing });
    const above = standing.kind === 'good' ? standing.parent : undefined;
    if (above !== undefined) remember(above.tokenId, moment, above);
  }

  function stand(tokenId: string, moment: Moment): Soon<Standing> {
    const known = byId.get(tokenId);
    const found =
      known?.revision === moment.revision
        ? known.standing
        : afterwards(store.token(tokenId), (record) =>
            record === undefined ? unknown : standingOf(store, zone, record),
          );
    return afterwards(found, (standing) => {
      remember(tokenId, moment, standing);
      return standing;
    });
  }

  function check(tokenId: string, revision?: number): Soon<boolean> {
    const standing =
      revision === undefined
        ? atThisMoment((moment) => stand(tokenId, moment))
        : stand(tokenId, { revision, hints: -1, at: now() });
    return afterwards(standing, isGood);
  }

  /** Undefined where the store does not tell at once. */
  function checkNow(tokenId: string): boolean | undefined {
    if (isLate) return undefined;
    try {
      const checked = check(tokenId);
      if (!(checked instanceof Promise)) return checked;
      isLate = true;
      checked.catch(() => undefined);
    } catch {
      // A store that is away ends no session: whoever comes with a request is told, and may come again.
    }
    return undefined;
  }

  /** Whoever asked goes on with what is known; they are told when that was wrong. */
  async function renew(tokenId: string): Promise<void> {
    const before = hints;
    renewing.add(tokenId);
    try {
      const isStillGood = await check(tokenId);
      renewing.delete(tokenId);
      if (!isStillGood || hints !== before) tellAll();
    } catch {
      // As above.
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
      const isFresh = known?.hints === hints && now() - known.at < renewMs;
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
  return one.revision < other.revision || (one.revision === other.revision && one.hints < other.hints);
}
