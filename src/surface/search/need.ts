// What a need asks of the index: groups of terms, one for each of its words, and the clauses that they come from.
import { type Actions, actionsOf } from './actions.js';
import { clausesOf } from './clauses.js';
import { readEntities } from './entities.js';
import type { Language } from './language.js';
import type { Members } from './members.js';
import type { Member } from './spelling.js';
import { isNumber, wordsOf } from './words.js';

/** A word of the need, with what may stand for it: a tool counts the best of them once. */
export interface TermGroup {
  readonly weight: number;
  readonly members: readonly Member[];
  /** The numbers of the clauses it is in. */
  readonly clauses: readonly number[];
}

export interface Asked {
  readonly groups: readonly TermGroup[];
  readonly clauses: number;
  /** What the words weigh that no visible tool has anything to do with. */
  readonly unknown: number;
  readonly actions: Actions;
}

export interface NeedTuning {
  readonly numbers: number;
  readonly joined: number;
  /** What the kind of a value weighs, beside a word. */
  readonly kinds: number;
}

interface NeedParts {
  readonly language: Language;
  readonly members: Members;
  readonly tuning: NeedTuning;
}

/** A stem, where it was seen, and whether it is a word of the need as it was written. */
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

/** Without words that say nothing, unless there are no others. */
function wordsByClause(clauses: readonly string[], language: Language): readonly (readonly string[])[] {
  const all = clauses.map((clause) => wordsOf(clause));
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
