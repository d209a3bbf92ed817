import { type Session, ToolFailure } from '../../core/index.js';

/** Limits the runs that agents start. */
export interface RunLimit {
  /** Counts a run until the returned function is called. Throws if there are too many. */
  enter(session: Session): () => void;
}

/** Maximum nesting of sessions that may start runs. */
const deepest = 3;
/** Concurrent runs started by agents, per gateway. */
const mostAtOnce = 16;
/** Total runs that one agent of a run may start; each may contain agents that start more. */
const mostOfAgent = 50;

export function createRunLimit(): RunLimit {
  const started = new WeakMap<Session, number>();
  let going = 0;
  return {
    enter(session) {
      const depth = (session.chain ?? []).length;
      if (depth > deepest) throw refused('Workflows are nested too deeply.');
      if (going >= mostAtOnce)
        throw refused(`${String(mostAtOnce)} runs are already active.`, 'Wait until one of them ends.');
      const before = started.get(session) ?? 0;
      if (session.parentSession !== undefined && before >= mostOfAgent)
        throw refused(`This agent has already started ${String(mostOfAgent)} runs, the maximum.`);
      started.set(session, before + 1);
      going += 1;
      let isOver = false;
      return () => {
        if (!isOver) going -= 1;
        isOver = true;
      };
    },
  };
}

function refused(message: string, suggestion?: string): ToolFailure {
  return new ToolFailure('refused', message, suggestion === undefined ? {} : { suggestion });
}
