import { type Session, shareOwner, ToolFailure } from '../../core/index.js';
import { createShares } from '../../lib/shares.js';

/** Limits the runs that agents start. */
export interface RunLimit {
  /** Counts a run until the returned function is called. Throws if there are too many. */
  enter(session: Session): () => void;
}

/** Maximum nesting of sessions that may start runs. */
const deepest = 3;
/** Concurrent runs that agents of one principal start. */
const mostAtOnce = 16;
/** Concurrent runs of all principals together. One principal can use half of them. */
const mostOfAll = 34;
const reserved = 2;
/** Total runs that one agent of a run may start; each may contain agents that start more. */
const mostOfAgent = 50;

export function createRunLimit(): RunLimit {
  const started = new WeakMap<Session, number>();
  const shares = createShares(mostOfAll, reserved);
  const going = new Map<string | undefined, number>();
  const count = (owner: string | undefined, by: 1 | -1): void => {
    const runs = (going.get(owner) ?? 0) + by;
    if (runs === 0) going.delete(owner);
    else going.set(owner, runs);
  };
  return {
    enter(session) {
      const depth = (session.chain ?? []).length;
      if (depth > deepest) throw refused('Workflows are nested too deeply.');
      const owner = shareOwner(session);
      const runs = going.get(owner) ?? 0;
      if (runs >= mostAtOnce) throw tooMany(`${String(mostAtOnce)} runs are already active.`);
      const before = started.get(session) ?? 0;
      if (session.parentSession !== undefined && before >= mostOfAgent)
        throw refused(`This agent has already started ${String(mostOfAgent)} runs, the maximum.`);
      const giveBack = shares.take(owner);
      if (typeof giveBack === 'string') throw tooMany('Too many runs are already active.');
      started.set(session, before + 1);
      count(owner, 1);
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        giveBack();
        count(owner, -1);
      };
    },
  };
}

function tooMany(message: string): ToolFailure {
  return refused(message, 'Wait until one of them finishes.');
}

function refused(message: string, suggestion?: string): ToolFailure {
  return new ToolFailure('refused', message, suggestion === undefined ? {} : { suggestion });
}
