// A parsed query: one group of terms per word, and the clauses they come from.
import { type Actions, actionsOf } from './actions.js';
import { clausesOf } from './clauses.js';
import { readEntities } from './entities.js';
import type { Language } from './language.js';
import type { Members } from './members.js';
import type { Member } from './spelling.js';
import { isNumber, splitWords } from './words.js';

/** A query word with its matching terms; only the best of them counts for a tool. */
export interface TermGroup {
  readonly weight: number;
  readonly members: readonly Member[];
  /** The clauses that contain it. */
  readonly clauses: readonly number[];
}

export interface Asked {
  readonly groups: readonly TermGroup[];
  readonly clauses: number;
  /** The total weight of words that match no visible tool. */
  readonly unknown: number;
  readonly actions: Actions;
}

export interface NeedTuning {
  readonly numbers: number;
  readonly joined: number;
  /** The weight of a value's kind compared to a word. */
  readonly kinds: number;
}

interface NeedParts {
  readonly language: Language;
  readonly members: Members;
  readonly tuning: NeedTuning;
}

/** A stem, its clauses, and whether it is literally in the query. */
interface Seen {
  readonly weight: number;
  readonly clauses: readonly number[];
  readonly count: number;
  readonly isWord: boolean;
}

const mostGroups = 160;
const mostCorrected = 8;

export function readNeed(text: string, parts: NeedParts): Asked {
  const entities = readEntities(text);
  const clauses = clausesOf(entities.text);
  const seen = new Map<string, Seen>();
  wordsByClause(clauses, parts.language).forEach((words, clause) => {
    const stems = words.map((word) => parts.language.read(word).stem);
    words.forEach((word, at) => {
      const stem = stems[at] ?? word;
      note(seen, stem, { clause, weight: weightOf(word, parts), isWord: true });
      const next = stems[at + 1];
      if (next !== undefined) note(seen, stem + next, { clause, weight: parts.tuning.joined, isWord: false });
    });
  });
  const everywhere = clauses.map((_, clause) => clause);
  for (const kind of entities.kinds) {
    const stem = parts.language.read(kind).stem;
    if (seen.has(stem)) continue;
    seen.set(stem, { count: 1, weight: parts.tuning.kinds, clauses: everywhere, isWord: false });
  }
  return { ...groupsOf(seen, parts.members), clauses: clauses.length, actions: actionsOf(clauses) };
}

/** Drops stop words, unless there are no other words. */
function wordsByClause(clauses: readonly string[], language: Language): readonly (readonly string[])[] {
  const all = clauses.map((clause) => splitWords(clause));
  const telling = all.map((words) => words.filter((word) => !language.read(word).isStop));
  return telling.some(({ length }) => length > 0) ? telling : all;
}

function weightOf(word: string, { language, tuning }: NeedParts): number {
  return isNumber(word) ? tuning.numbers : language.weightOf(word);
}

function note(
  seen: Map<string, Seen>,
  stem: string,
  { clause, weight, isWord }: { readonly clause: number; readonly weight: number; readonly isWord: boolean },
): void {
  const known = seen.get(stem);
  if (known === undefined) {
    seen.set(stem, { count: 1, weight, clauses: [clause], isWord });
    return;
  }
  const clauses = known.clauses.at(-1) === clause ? known.clauses : [...known.clauses, clause];
  seen.set(stem, { ...known, count: known.count + 1, clauses });
}

function groupsOf(seen: ReadonlyMap<string, Seen>, members: Members): Pick<Asked, 'groups' | 'unknown'> {
  const groups: TermGroup[] = [];
  let unknown = 0;
  let corrected = 0;
  for (const [stem, { count, weight, clauses, isWord }] of seen) {
    if (groups.length >= mostGroups) break;
    let own = members.of(stem);
    if (own.length === 0 && isWord && corrected < mostCorrected) {
      corrected += 1;
      own = members.spelledLike(stem);
    }
    if (own.length > 0) groups.push({ weight: weight * Math.sqrt(count), members: own, clauses });
    else if (isWord) unknown += weight;
  }
  return { groups, unknown };
}
