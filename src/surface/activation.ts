// The set of tools that a session has made available: plain data, replaced as a whole, never changed.

export interface Active {
  readonly name: string;
  readonly tokens: number;
  /** What the clock of the set said when it was last used. */
  readonly usedAt: number;
}

export interface ActivationSet {
  /** In the order in which they became active: what is new comes last, so that what was shown before stays in place. */
  readonly entries: readonly Active[];
  /** Counts uses: searches and calls. */
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
 * Makes a batch available, best first. Others make room, the one that was not used for longest first; a member of the
 * batch never does. Members for which there is no room beside the better ones stay out, but for one that is too large for
 * any room: alone it gets in.
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

/** Takes out what `tokensOf` no longer knows, and counts again what has changed. The very same set where nothing has. */
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

/** The room that is left beside members of the batch, which nobody takes away from them. */
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
  // Of what was found together the best came first, and is the last to go.
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
