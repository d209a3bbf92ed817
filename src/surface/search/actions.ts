// What a tool does to a thing is mostly in the first verb of its name, and what is wanted in the first verb of a clause.
import lexicon from './lexicon.json' with { type: 'json' };
import { wordsOf } from './words.js';

/** A set of kinds of action, as bits: to look, to make, to change, to take away. 0 is none that is known. */
export type Actions = number;

const kinds: ReadonlyMap<string, Actions> = new Map(
  Object.values(lexicon.actions).flatMap((line, at) =>
    line.split(' ').map((word): [string, Actions] => [word, 1 << at]),
  ),
);
const looking: Actions = 1;
const asking = /^\W*(?:what|which|who|whose|when|where|how|is|are|was|were|does|did)\b/i;

/** The kind of the first verb. */
export function actionOf(name: string): Actions {
  for (const word of wordsOf(name)) {
    const kind = kinds.get(word);
    if (kind !== undefined) return kind;
  }
  return 0;
}

export function actionsOf(clauses: readonly string[]): Actions {
  let actions = 0;
  for (const clause of clauses) actions |= asking.test(clause) ? looking : actionOf(clause);
  return actions;
}
