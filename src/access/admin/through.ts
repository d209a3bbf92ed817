import type { ToolSpec } from '../../core/index.js';
import { explainDelegation } from '../authorizer/explain.js';
import type { Action } from '../authorizer/link-predicate.js';
import { denies, type Predicates } from '../authorizer/predicates.js';
import type { Proof, Tuple } from '../engine/index.js';
import { describeObject } from '../object-ids.js';
import type { Receiver } from './receiver.js';

/** Where a right comes from: `profile coding`, `role dev`, `a grant on github_*`. */
export function throughOf(
  predicates: Predicates,
  { user, delegation }: Receiver,
  tool: ToolSpec,
  action: Action,
): string {
  try {
    if (delegation !== undefined && predicates.isAdmin(delegation.principal)) return 'admin rights';
    const { explanation } =
      delegation === undefined ? {} : explainDelegation(predicates, delegation, tool, action);
    const asked = { user, relation: action, object: predicates.objectOf(tool) };
    const { proof } = explanation ?? predicates.engine.explain(asked, predicates.atNow({}));
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
