import type { ToolSpec } from '../../core/index.js';
import { explainLink } from '../authorizer/explain.js';
import { type Action, denies, type Judge } from '../authorizer/predicates.js';
import type { Proof, Tuple } from '../engine/index.js';
import { describeObject } from '../object-ids.js';
import type { Receiver } from './receiver.js';

/** Where a right comes from: `profile coding`, `role dev`, `a grant on github_*`. */
export function throughOf(judge: Judge, { user, link }: Receiver, tool: ToolSpec, action: Action): string {
  try {
    if (link !== undefined && judge.isAdmin(link.principal)) return 'admin rights';
    const { explanation } = link === undefined ? {} : explainLink(judge, link, tool, action);
    const asked = { user, relation: action, object: judge.objectOf(tool) };
    const { proof } = explanation ?? judge.engine.explain(asked, judge.atNow({}));
    return wordsFor(proof === undefined ? [] : tuplesIn(proof));
  } catch (error) {
    if (denies(error)) return 'an unknown source';
    throw error;
  }
}

/** All tuples of a proof, outermost first. */
function tuplesIn({ tuple, steps }: Proof): readonly Tuple[] {
  return [...(tuple === undefined ? [] : [tuple]), ...steps.flatMap(tuplesIn)];
}

function wordsFor(tuples: readonly Tuple[]): string {
  const giving = tuples.find(({ relation }) => relation === 'caller' || relation === 'seer');
  if (giving === undefined) return 'a rule of the model';
  const { user, object } = giving;
  if (user === 'principal:*') return 'a grant to everybody';
  const userset = /^(profile|role):([^#]+)#/.exec(user);
  if (userset !== null) return `${String(userset[1])} ${String(userset[2])}`;
  return `a grant on ${describeObject(object)}`;
}
