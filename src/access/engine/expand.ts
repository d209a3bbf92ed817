import { isAllowed } from './check-tuple.js';
import type { Relation, Rule } from './linked-model.js';
import type { TupleSource } from './tuple-source.js';

/** The users of a relation, one level deep; usersets in it can be expanded in turn. */
export type ExpandTree =
  | { readonly kind: 'users'; readonly users: readonly string[] }
  | { readonly kind: 'computed'; readonly userset: string }
  | { readonly kind: 'through'; readonly tupleset: string; readonly usersets: readonly string[] }
  | { readonly kind: 'or' | 'and'; readonly of: readonly ExpandTree[] }
  | { readonly kind: 'not'; readonly base: ExpandTree; readonly subtract: ExpandTree };

export function expand(relation: Relation, object: string, source: TupleSource): ExpandTree {
  return tree(relation.rule);

  function tree(rule: Rule): ExpandTree {
    switch (rule.kind) {
      case 'direct':
        return { kind: 'users', users: usersIn(relation, 'user') };
      case 'computed':
        return { kind: 'computed', userset: `${object}#${rule.relation.name}` };
      case 'through': {
        const parents = usersIn(rule.tupleset, 'userObject').map((parent) => `${parent}#${rule.relation}`);
        return { kind: 'through', tupleset: `${object}#${rule.tupleset.name}`, usersets: parents };
      }
      case 'not':
        return { kind: 'not', base: tree(rule.base), subtract: tree(rule.subtract) };
      default:
        return { kind: rule.kind, of: rule.of.map(tree) };
    }
  }

  function usersIn(of: Relation, field: 'user' | 'userObject'): readonly string[] {
    const tuples = source.of(object, of.name).filter((relationship) => isAllowed(relationship, of));
    return [...new Set(tuples.map((relationship) => relationship[field]))].sort();
  }
}
