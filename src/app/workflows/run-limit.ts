import { type Session, ToolFailure } from '../../kernel/index.js';

/** How many runs agents may have started here. */
export interface RunLimit {
  /** Counts a run until what it gives back is called. Throws when there are too many. */
  enter(session: Session): () => void;
}

/** Sessions within sessions: deeper than this nobody starts runs. */
const deepest = 3;
/** Runs that agents started and that go on, in one gate. */
const mostAtOnce = 16;
/** Runs that one agent of a run starts, one after the other or not. Each may have agents that do the same. */
const mostOfAgent = 50;

export function createRunLimit(): RunLimit {
  const started = new WeakMap<Session, number>();
  let going = 0;
  return {
    enter(session) {
      const depth = (session.chain ?? []).length;
      if (depth > deepest) throw refused('Workflows that start workflows go too deep here.');
      if (going >= mostAtOnce)
        throw refused(`${String(mostAtOnce)} runs go on already.`, 'Wait until one of them has ended.');
      const before = started.get(session) ?? 0;
      if (session.parentSession !== undefined && before >= mostOfAgent)
        throw refused(`This agent has started ${String(mostOfAgent)} runs already, and may start no more.`);
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
