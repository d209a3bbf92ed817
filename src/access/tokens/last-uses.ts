import type { TokenStore } from '../ports/index.js';

/** Saves when each token was last used, from time to time. Requests never wait for it. */
export interface LastUses {
  note(id: string): void;
  /** Saves all pending uses. */
  close(): Promise<void>;
}

export interface LastUsesParts {
  readonly store: Pick<TokenStore, 'touchTokens'>;
  readonly now: () => number;
  /** A monotonic clock: if `now` were set back, uses would not be saved for that long. */
  readonly elapsed: () => number;
  /** Called on failure. No request is denied because of it. */
  readonly onFailure: (error: unknown) => void;
}

interface Use {
  latest: number;
  isSaved: boolean;
  /** By the clock of `elapsed`. */
  savedAt: number;
}

const minuteMs = 60_000;
/** Short enough for a user who checks whether a token is in use. */
const firstMs = 500;
const maxTokens = 10_000;

export function openLastUses({ store, now, elapsed, onFailure }: LastUsesParts): LastUses {
  const uses = new Map<string, Use>();
  let timer: { readonly due: number; readonly handle: NodeJS.Timeout } | undefined;
  let saving: Promise<void> = Promise.resolve();

  function schedule(ms: number): void {
    const due = elapsed() + ms;
    if (timer !== undefined && timer.due <= due) return;
    clearTimeout(timer?.handle);
    timer = { due, handle: setTimeout(tick, ms).unref() };
  }

  function tick(): void {
    timer = undefined;
    save((use) => elapsed() - use.savedAt >= minuteMs);
    if ([...uses.values()].some(isUnsaved)) schedule(minuteMs);
  }

  /** Sequential, so that an older time never overwrites a newer one. */
  function save(isDue: (use: Use) => boolean): void {
    const due = [...uses].filter(([, use]) => isUnsaved(use) && isDue(use));
    if (due.length === 0) return;
    for (const [, use] of due) Object.assign(use, { isSaved: true, savedAt: elapsed() });
    const saved = due.map(([id, { latest: at }]) => ({ id, at }));
    saving = saving.then(() => store.touchTokens(saved)).catch(onFailure);
  }

  return {
    note(id) {
      const at = now();
      const known = uses.get(id);
      if (known !== undefined) Object.assign(known, { latest: at, isSaved: false });
      else {
        makeRoom(uses);
        uses.set(id, { latest: at, isSaved: false, savedAt: Number.NEGATIVE_INFINITY });
      }
      schedule(known === undefined ? firstMs : minuteMs);
    },
    close() {
      clearTimeout(timer?.handle);
      save(() => true);
      uses.clear();
      return saving;
    },
  };
}

function isUnsaved({ isSaved: isTold }: Use): boolean {
  return !isTold;
}

function makeRoom(uses: Map<string, Use>): void {
  if (uses.size < maxTokens) return;
  for (const oldest of uses.keys()) {
    uses.delete(oldest);
    return;
  }
}
