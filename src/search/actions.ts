// The first verb of a tool name mostly says what it does, and the first verb of a clause what is wanted.
import lexicon from './lexicon.json' with { type: 'json' };
import { splitWords } from './words.js';

/** A bit set of action kinds: read, create, change, remove. 0 means unknown. */
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
  for (const word of splitWords(name)) {
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
