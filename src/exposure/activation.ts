// The active tools of a session: immutable plain data, replaced as a whole.

export interface Active {
  readonly name: string;
  readonly tokens: number;
  /** The value of `clock` at the last use. */
  readonly usedAt: number;
}

export interface ActivationSet {
  /** In order of activation: new tools come last, so that listed tools keep their position. */
  readonly entries: readonly Active[];
  /** Counts searches and calls. */
  readonly clock: number;
}

export interface Limits {
  readonly maxCount: number;
  readonly maxTokens: number;
}

export interface Candidate {
  readonly name: string;
  readonly tokens: number;
}

export interface Activation {
  readonly set: ActivationSet;
  readonly activated: readonly string[];
  readonly alreadyActive: readonly string[];
  readonly notActivated: readonly string[];
  readonly evicted: readonly { readonly name: string; readonly idleCalls: number }[];
}

export const noneActive: ActivationSet = Object.freeze({ entries: Object.freeze([]), clock: 0 });

/**
 * Activates a batch, best first. Least recently used tools outside the batch are evicted to make room. Members that do
 * not fit next to better ones are not activated, except a single tool that exceeds the budget alone.
 */
export function activate(set: ActivationSet, batch: readonly Candidate[], limits: Limits): Activation {
  const clock = set.clock + 1;
  const wanted = new Map(batch.map((one) => [one.name, one]));
  const active = new Set(set.entries.map(({ name }) => name));
  const members = set.entries.filter(({ name }) => wanted.has(name));
  const room = roomBeside(members, limits);
  const isIn = (one: Candidate): boolean => !active.has(one.name) && room.take(one);
  const fresh = [...wanted.values()].filter(isIn);
  const isFresh = new Set(fresh.map(({ name }) => name));
  const kept = set.entries.map((entry) => (wanted.has(entry.name) ? { ...entry, usedAt: clock } : entry));
  const added = fresh.map(({ name, tokens }) => ({ name, tokens, usedAt: clock }));
  const evicted = overflow([...kept, ...added], clock, limits);
  const isOut = new Set(evicted.map(({ name }) => name));
  return {
    set: { entries: [...kept.filter(({ name }) => !isOut.has(name)), ...added], clock },
    activated: [...isFresh],
    alreadyActive: members.map(({ name }) => name),
    notActivated: [...wanted.keys()].filter((name) => !active.has(name) && !isFresh.has(name)),
    evicted: evicted.map(({ name, usedAt }) => ({ name, idleCalls: set.clock - usedAt })),
  };
}

/** Drops tools that `tokensOf` no longer knows and recounts changed ones. Returns the same set if nothing changed. */
export function retain(
  set: ActivationSet,
  tokensOf: (name: string) => number | undefined,
): { readonly set: ActivationSet; readonly gone: readonly string[] } {
  if (set.entries.every(({ name, tokens }) => tokensOf(name) === tokens)) return { set, gone: [] };
  const gone = set.entries.filter(({ name }) => tokensOf(name) === undefined).map(({ name }) => name);
  const entries = set.entries.flatMap((entry) => {
    const tokens = tokensOf(entry.name);
    return tokens === undefined ? [] : [{ ...entry, tokens }];
  });
  return { set: { ...set, entries }, gone };
}

export function tokensIn(entries: readonly Candidate[]): number {
  return entries.reduce((sum, { tokens }) => sum + tokens, 0);
}

/** The room left next to the batch members, which are never evicted. */
function roomBeside(
  members: readonly Candidate[],
  { maxCount, maxTokens }: Limits,
): { take(one: Candidate): boolean } {
  let count = members.length;
  let tokens = tokensIn(members);
  return {
    take(one) {
      const isAlone = count === 0 && maxCount > 0;
      if (!isAlone && (count + 1 > maxCount || tokens + one.tokens > maxTokens)) return false;
      count += 1;
      tokens += one.tokens;
      return true;
    },
  };
}

function overflow(
  entries: readonly Active[],
  clock: number,
  { maxCount, maxTokens }: Limits,
): readonly Active[] {
  let count = entries.length;
  let tokens = tokensIn(entries);
  // Of tools found together the best comes first, so evict it last.
  const others = entries
    .filter(({ usedAt }) => usedAt < clock)
    .toReversed()
    .sort((a, b) => a.usedAt - b.usedAt);
  return others.filter((one) => {
    if (count <= maxCount && tokens <= maxTokens) return false;
    count -= 1;
    tokens -= one.tokens;
    return true;
  });
}
