import { asideFor } from './aside.js';
import type { ModelRequest, ScriptedTurn } from './turn.js';

/**
 * A script for programs that hold a conversation and send other requests in between. The turn is derived from the
 * conversation: the number of turns with calls it already has. A request without tools to call (for a title or a
 * summary) gets a short text, or JSON if it asks for JSON. After the last turn the model is done.
 */
export function inConversation(
  turns: readonly ScriptedTurn[],
): (request: Pick<ModelRequest, 'turn' | 'advertised'> & { readonly body?: unknown }) => ScriptedTurn {
  return (request) => asideFor(request) ?? turns[request.turn] ?? { say: 'done' };
}
