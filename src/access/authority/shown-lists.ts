import type { Link, Spec } from '../../kernel/index.js';

/** Lists as sessions saw them, for as long as nothing that they depend on changes. */
export interface ShownLists {
  of<S extends Spec>(chain: readonly Link[], specs: readonly S[], make: () => readonly S[]): readonly S[];
  /** Forgets what lists were made from; a list that comes out the same stays the very same. */
  clear(): void;
}

interface Kept {
  readonly version: number;
  readonly shown: readonly Spec[];
}

/** Chains whose lists are kept. A list holds references only: 8 bytes for each definition. */
const maxChains = 1000;

export function createShownLists(): ShownLists {
  let version = 0;
  const chains = new Map<string, WeakMap<readonly Spec[], Kept>>();
  const keys = new WeakMap<readonly Link[], string>();

  function keyOf(chain: readonly Link[]): string {
    let key = keys.get(chain);
    if (key === undefined) keys.set(chain, (key = JSON.stringify(chain.map(withoutCredential))));
    return key;
  }

  function keptFor(key: string): WeakMap<readonly Spec[], Kept> {
    const known = chains.get(key);
    // The one used last stands last: the first is the one to go.
    if (known !== undefined) chains.delete(key);
    else if (chains.size >= maxChains)
      for (const first of [...chains.keys()].slice(0, 1)) chains.delete(first);
    const kept = known ?? new WeakMap<readonly Spec[], Kept>();
    chains.set(key, kept);
    return kept;
  }

  return {
    of<S extends Spec>(chain: readonly Link[], specs: readonly S[], make: () => readonly S[]): readonly S[] {
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

/** Two credentials with the same words see the same; whether they still hold is asked elsewhere. */
function withoutCredential({ tokenId: _, ...link }: Link): Omit<Link, 'tokenId'> {
  return link;
}

function isEqual(a: readonly Spec[], b: readonly Spec[]): boolean {
  return a.length === b.length && a.every((spec, index) => spec === b[index]);
}
