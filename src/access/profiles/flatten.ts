import type { Profile, ProfileEntry, ProfileSource } from './profile.js';
import type { Reading } from './reading.js';

/** A profile before it has what it inherits. */
export interface Draft {
  readonly source: ProfileSource;
  readonly isShipped: boolean;
  readonly own: readonly ProfileEntry[];
}

/** Of all profiles together: each inherits all that its parents have. */
const mostInherited = 100_000;

function parentsOf({ extends: parents = [] }: ProfileSource): readonly string[] {
  return typeof parents === 'string' ? [parents] : [...new Set(parents)];
}

/** Gives each profile what its parents have, at any depth. A circle and a parent that is not there are reported. */
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
        'The profiles inherit more than any gate needs.',
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
    const message = `${String(way.at(-1))} extends ${JSON.stringify(parent)}, and there is no such profile.`;
    reading.report('profiles.unknown_parent', path, message, reading.didYouMean(parent, drafts.keys()));
    return false;
  }
  const start = way.indexOf(parent);
  if (start === -1) return true;
  const circle = [...way.slice(start), parent].join(' -> ');
  reading.report('profiles.cycle', path, `The profiles extend each other in a circle: ${circle}.`);
  return false;
}

/** The first of several that say the same stays: it is what the others repeat. */
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
