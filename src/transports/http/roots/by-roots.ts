import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../../../core/index.js';
import type { Frame } from '../../../lib/json-rpc.js';
import type { Beginning } from '../legacy-sessions.js';

/** Lets the roots of stateful clients choose among several workspaces. Used by the first workspace. */
export interface ChooseByRoots {
  /** How to begin the session that this `initialize` opens. Undefined: at once, in the first workspace. */
  undecided(frame: Frame, request: IncomingMessage, caller: Caller): Beginning['undecided'];
  /** Handles a request of a session that moved. Undefined if no other workspace has it. */
  forward(
    request: IncomingMessage,
    response: ServerResponse,
    caller: Caller,
    frame?: Frame,
  ): Promise<void> | undefined;
  /** Call regularly, so that the last warnings are reported too. */
  tend(): void;
}
