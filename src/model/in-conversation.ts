import { asideFor } from './aside.js';
import type { ModelRequest, ScriptedTurn } from './turn.js';

/**
 * A script for programs that hold a conversation and ask other things on the way. Which turn comes is read from the
 * conversation itself: as many as it already holds turns with calls. A request that shows no tools to call is an aside
 * (a title, a summary) and gets a short text, or JSON where it wants that. After the last turn the model is done.
 */
export function inConversation(
  turns: readonly ScriptedTurn[],
): (request: Pick<ModelRequest, 'turn' | 'advertised'> & { readonly body?: unknown }) => ScriptedTurn {
  return (request) => asideFor(request) ?? turns[request.turn] ?? { say: 'done' };
}
