import type { Tuple } from '../engine/index.js';
import { describeObject } from '../object-ids.js';
import type { GrantTuple } from '../ports/index.js';

/** A tuple with its meaning as a sentence. */
export interface SaidTuple extends GrantTuple {
  readonly says: string;
}

export function said({ user, relation, object, condition }: Tuple): SaidTuple {
  const plain = { user, relation, object };
  const { name = '', context } = condition ?? {};
  const tuple =
    condition === undefined ? plain : { ...plain, condition: context ? { name, context } : { name } };
  return { ...tuple, says: saysOf(tuple) };
}

/** A tuple as a sentence. */
export function saysOf({ user, relation, object, condition }: GrantTuple): string {
  const until = condition?.context?.['until'];
  const end =
    typeof until === 'string' ? ` until ${until}` : condition === undefined ? '' : ` if ${condition.name}`;
  return `${sentenceOf(who(user), relation, describeObject(object))}${end}`;
}

function sentenceOf(user: string, relation: string, object: string): string {
  switch (relation) {
    case 'caller':
      return `${user} may call ${object}`;
    case 'seer':
      return `${user} may see ${object}`;
    case 'blocked':
      return `${user} is blocked from ${object}`;
    case 'assignee':
      return `${user} has ${object}`;
    case 'member':
      return `${user} is in ${object}`;
    case 'provider':
    case 'group':
      return `${object} is in ${user}`;
    case 'admin':
      return `${user} is an admin of ${object}`;
    default:
      return `${user} is ${relation} of ${object}`;
  }
}

function who(user: string): string {
  const words = describeObject(user);
  return /#(member|assignee)$/.test(words) ? `everyone with ${words.replace(/#\w+$/, '')}` : words;
}
