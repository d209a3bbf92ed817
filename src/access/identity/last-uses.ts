import type { TokenStore } from '../ports.js';

/** When each token was last shown, told to the store now and then: a request never waits for it. */
export interface LastUses {
  note(id: string): void;
  /** Tells what was not told yet. */
  close(): Promise<void>;
}

export interface LastUsesParts {
  readonly store: Pick<TokenStore, 'touchTokens'>;
  readonly now: () => number;
  /** Nobody is denied anything for it: it is told and forgotten. */
  readonly onFailure: (error: unknown) => void;
}

interface Use {
  latest: number;
  told: number;
}

const minuteMs = 60_000;
/** Soon enough for a person who looks whether the token arrived. */
const firstMs = 500;
const maxTokens = 10_000;

export function openLastUses({ store, now, onFailure }: LastUsesParts): LastUses {
  const uses = new Map<string, Use>();
  let timer: { readonly due: number; readonly handle: NodeJS.Timeout } | undefined;
  let telling: Promise<void> = Promise.resolve();

  function schedule(ms: number): void {
    const due = now() + ms;
    if (timer !== undefined && timer.due <= due) return;
    clearTimeout(timer?.handle);
    timer = { due, handle: setTimeout(tick, ms).unref() };
  }

  function tick(): void {
    timer = undefined;
    tell((use) => now() - use.told >= minuteMs);
    if ([...uses.values()].some(isUntold)) schedule(minuteMs);
  }

  /** One after the other, so that an older time never overtakes a newer one. */
  function tell(isDue: (use: Use) => boolean): void {
    const due = [...uses].filter(([, use]) => isUntold(use) && isDue(use));
    if (due.length === 0) return;
    for (const [, use] of due) use.told = use.latest;
    const told = due.map(([id, { latest: at }]) => ({ id, at }));
    telling = telling.then(() => store.touchTokens(told)).catch(onFailure);
  }

  return {
    note(id) {
      const at = now();
      const known = uses.get(id);
      if (known !== undefined) known.latest = at;
      else {
        makeRoom(uses);
        uses.set(id, { latest: at, told: Number.NEGATIVE_INFINITY });
      }
      schedule(known === undefined ? firstMs : minuteMs);
    },
    close() {
      clearTimeout(timer?.handle);
      tell(() => true);
      uses.clear();
      return telling;
    },
  };
}

function isUntold({ latest, told }: Use): boolean {
  return latest > told;
}

function makeRoom(uses: Map<string, Use>): void {
  if (uses.size < maxTokens) return;
  for (const oldest of uses.keys()) {
    uses.delete(oldest);
    return;
  }
}
