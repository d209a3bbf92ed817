import type { Profile, ProfileEntry, ProfileSource } from './profile.js';
import type { Reading } from './reading.js';

/** A profile without its inherited entries. */
export interface Draft {
  readonly source: ProfileSource;
  readonly isShipped: boolean;
  readonly own: readonly ProfileEntry[];
}

/** Limit over all profiles, because each inherits all entries of its parents. */
const mostInherited = 100_000;

function parentsOf({ extends: parents = [] }: ProfileSource): readonly string[] {
  return typeof parents === 'string' ? [parents] : [...new Set(parents)];
}

/** Adds inherited entries to each profile, at any depth. Reports cycles and unknown parents. */
export function flatten(drafts: ReadonlyMap<string, Draft>, reading: Reading): ReadonlyMap<string, Profile> {
  const done = new Map<string, readonly ProfileEntry[]>();
  let inherited = 0;

  function entriesOf(name: string, trail: readonly string[]): readonly ProfileEntry[] {
    const known = done.get(name);
    const draft = drafts.get(name);
    if (known !== undefined || draft === undefined) return known ?? [];
    const way = [...trail, name];
    const parents = parentsOf(draft.source).filter((parent) => isSound(parent, way, drafts, reading));
    const entries = unique([...parents.flatMap((parent) => entriesOf(parent, way)), ...draft.own]);
    inherited += entries.length - draft.own.length;
    const isTooMuch = inherited > mostInherited;
    if (isTooMuch)
      reading.report(
        'profiles.too_many',
        ['profiles', name, 'extends'],
        'The profiles inherit too many entries in total.',
      );
    done.set(name, isTooMuch ? draft.own : entries);
    return isTooMuch ? draft.own : entries;
  }

  return new Map([...drafts].map(([name, draft]) => [name, profileOf(draft, entriesOf(name, []))] as const));
}

function isSound(
  parent: string,
  way: readonly string[],
  drafts: ReadonlyMap<string, Draft>,
  reading: Reading,
): boolean {
  const path = ['profiles', way.at(-1) ?? '', 'extends'];
  if (!drafts.has(parent)) {
    const message = `${String(way.at(-1))} extends unknown profile ${JSON.stringify(parent)}.`;
    reading.report('profiles.unknown_parent', path, message, reading.didYouMean(parent, drafts.keys()));
    return false;
  }
  const start = way.indexOf(parent);
  if (start === -1) return true;
  const circle = [...way.slice(start), parent].join(' -> ');
  reading.report('profiles.cycle', path, `The profiles extend each other in a cycle: ${circle}.`);
  return false;
}

/** Of equal entries, the first is kept. */
function unique(entries: readonly ProfileEntry[]): readonly ProfileEntry[] {
  const seen = new Map<string, ProfileEntry>();
  for (const entry of entries) {
    const key = `${entry.effect} ${entry.object}`;
    if (!seen.has(key)) seen.set(key, entry);
  }
  return [...seen.values()];
}

function profileOf({ source, isShipped }: Draft, entries: readonly ProfileEntry[]): Profile {
  const { name, description, line } = source;
  return Object.freeze({
    name,
    ...(description !== undefined && { description }),
    parents: parentsOf(source),
    entries,
    isShipped,
    ...(line !== undefined && { line }),
  });
}
