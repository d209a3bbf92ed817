import type { Delegation, ToolSpec } from '../../core/index.js';
import type { Action } from '../authorizer/link-predicate.js';
import { denies, type Predicates } from '../authorizer/predicates.js';
import type { Receiver } from './receiver.js';

/** The tools a principal can see and call, by display name, sorted. */
export interface Reach {
  readonly see: readonly string[];
  readonly call: readonly string[];
}

/** What a principal gained and lost by a change. */
export interface ReachChange {
  readonly opened: Reach;
  readonly closed: Reach;
}

export function reachOf(
  predicates: Predicates,
  { user, delegation }: Receiver,
  tools: readonly ToolSpec[],
): Reach {
  return delegation === undefined
    ? reachOfUser(predicates, user, tools)
    : reachOfDelegation(predicates, delegation, tools);
}

export function reachOfDelegation(
  predicates: Predicates,
  delegation: Delegation,
  tools: readonly ToolSpec[],
): Reach {
  return reach(tools, () => predicates.predicateFor(delegation));
}

/** The reach of a profile alone. */
export function reachOfProfile(predicates: Predicates, profile: string, tools: readonly ToolSpec[]): Reach {
  const nobody = { kind: 'service', id: 'nobody', zone: '' } as const;
  return reachOfDelegation(predicates, { principal: nobody, rights: 'all', profile }, tools);
}

/** For a role or everybody: only direct grants, without the default profile. */
function reachOfUser(predicates: Predicates, user: string, tools: readonly ToolSpec[]): Reach {
  return reach(tools, () => {
    const ask = predicates.engine.predicate(user, predicates.atNow({}));
    return (spec, action) => ask(action, predicates.objectOf(spec));
  });
}

type Ask = (spec: ToolSpec, action: Action) => boolean;

function reach(tools: readonly ToolSpec[], open: () => Ask): Reach {
  const ask = orDeny(open, () => () => false);
  const names = (action: Action): readonly string[] =>
    tools
      .filter((tool) =>
        orDeny(
          () => ask(tool, action),
          () => false,
        ),
      )
      .map(({ name }) => name)
      .sort(byCodeUnit);
  return { see: names('see'), call: names('call') };
}

/** An engine error counts as a denial, as it does for agents. */
function orDeny<T>(ask: () => T, otherwise: () => T): T {
  try {
    return ask();
  } catch (error) {
    if (denies(error)) return otherwise();
    throw error;
  }
}

/** Locale-independent order. */
export function byCodeUnit(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

export function changeOf(before: Reach, after: Reach): ReachChange {
  return {
    opened: { see: without(after.see, before.see), call: without(after.call, before.call) },
    closed: { see: without(before.see, after.see), call: without(before.call, after.call) },
  };
}

function without(names: readonly string[], taken: readonly string[]): readonly string[] {
  const known = new Set(taken);
  return names.filter((name) => !known.has(name));
}
