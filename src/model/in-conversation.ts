import type { ModelRequest, ScriptedTurn } from './turn.js';

/**
 * A script for programs that hold a conversation and ask other things on the way. Which turn comes is read from the
 * conversation itself: as many as it already holds turns with calls. A request that shows no tools to call is an aside
 * (a title, a summary) and gets a short text. After the last turn the model is done.
 */
export function inConversation(
  turns: readonly ScriptedTurn[],
): (request: Pick<ModelRequest, 'turn' | 'advertised'>) => ScriptedTurn {
  return ({ turn, advertised }) =>
    advertised.every(({ kind }) => kind === 'built-in') ? { say: 'ok' } : (turns[turn] ?? { say: 'done' });
}
