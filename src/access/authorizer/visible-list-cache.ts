import type { Delegation, Spec } from '../../core/index.js';

/** Caches visible lists until something they depend on changes. */
export interface ShownLists {
  of<S extends Spec>(
    chain: readonly Delegation[],
    specs: readonly S[],
    make: () => readonly S[],
  ): readonly S[];
  /** Invalidates the cache. A list with the same content keeps its identity. */
  clear(): void;
}

interface Kept {
  readonly version: number;
  readonly shown: readonly Spec[];
}

/** Cache limit in chains. A list holds only references: 8 bytes per definition. */
const maxChains = 1000;

export function createShownLists(): ShownLists {
  let version = 0;
  const chains = new Map<string, WeakMap<readonly Spec[], Kept>>();
  const keys = new WeakMap<readonly Delegation[], string>();

  function keyOf(chain: readonly Delegation[]): string {
    let key = keys.get(chain);
    if (key === undefined) keys.set(chain, (key = JSON.stringify(chain.map(withoutCredential))));
    return key;
  }

  function keptFor(key: string): WeakMap<readonly Spec[], Kept> {
    const known = chains.get(key);
    // Least recently used first, so the first is evicted.
    if (known !== undefined) chains.delete(key);
    else if (chains.size >= maxChains)
      for (const first of [...chains.keys()].slice(0, 1)) chains.delete(first);
    const kept = known ?? new WeakMap<readonly Spec[], Kept>();
    chains.set(key, kept);
    return kept;
  }

  return {
    of<S extends Spec>(
      chain: readonly Delegation[],
      specs: readonly S[],
      make: () => readonly S[],
    ): readonly S[] {
      const kept = keptFor(keyOf(chain));
      const before = kept.get(specs);
      if (before?.version === version) return before.shown as readonly S[];
      const made = make();
      const shown =
        before !== undefined && isEqual(before.shown, made) ? (before.shown as readonly S[]) : made;
      kept.set(specs, { version, shown });
      return shown;
    },
    clear() {
      version += 1;
    },
  };
}

/** Credentials with equal links see the same; their validity is checked elsewhere. */
function withoutCredential({ tokenId: _, ...delegation }: Delegation): Omit<Delegation, 'tokenId'> {
  return delegation;
}

function isEqual(a: readonly Spec[], b: readonly Spec[]): boolean {
  return a.length === b.length && a.every((spec, index) => spec === b[index]);
}
