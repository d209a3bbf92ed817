import type { Link, ToolSpec } from '../../kernel/index.js';
import { type Action, denies, type Judge } from '../authority/judge.js';
import type { Receiver } from './receiver.js';

/** What somebody can do, by the names that agents see, in the order of the alphabet. */
export interface Reach {
  readonly see: readonly string[];
  readonly call: readonly string[];
}

/** How a change moved what somebody can do. */
export interface ReachChange {
  readonly opened: Reach;
  readonly closed: Reach;
}

export function reachOf(judge: Judge, { user, link }: Receiver, tools: readonly ToolSpec[]): Reach {
  return link === undefined ? reachOfUser(judge, user, tools) : reachOfLink(judge, link, tools);
}

export function reachOfLink(judge: Judge, link: Link, tools: readonly ToolSpec[]): Reach {
  return reach(tools, () => judge.askerFor(link));
}

/** Of a profile alone, whoever has it. */
export function reachOfProfile(judge: Judge, profile: string, tools: readonly ToolSpec[]): Reach {
  const nobody = { kind: 'service', id: 'nobody', zone: '' } as const;
  return reachOfLink(judge, { principal: nobody, rights: 'all', profile }, tools);
}

/** Of a role or of everybody: only what was given to just that, without any profile by default. */
function reachOfUser(judge: Judge, user: string, tools: readonly ToolSpec[]): Reach {
  return reach(tools, () => {
    const ask = judge.engine.asker(user, judge.atNow({}));
    return (spec, action) => ask(action, judge.objectOf(spec));
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

/** What the engine cannot know is a denial, here as for agents. */
function orDeny<T>(ask: () => T, otherwise: () => T): T {
  try {
    return ask();
  } catch (error) {
    if (denies(error)) return otherwise();
    throw error;
  }
}

/** The same order on every machine. */
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
