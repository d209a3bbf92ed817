import type { ModelRequest, ScriptedAnswer, ScriptedFault } from './turn.js';

/** One way in which models are spoken to. The script is the same for all of them. */
export interface ModelFormat {
  readonly name: string;
  /** Whether a request to this path speaks it. */
  readonly isAt: (path: string) => boolean;
  readonly read: (body: unknown) => Omit<ModelRequest, 'format' | 'headers' | 'body'>;
  /** The whole answer as a body. */
  readonly whole: (answer: ScriptedAnswer, request: ModelRequest) => string;
  /** The same as a stream of server-sent events, one text each. */
  readonly events: (answer: ScriptedAnswer, request: ModelRequest) => readonly string[];
  readonly fault: (fault: ScriptedFault) => string;
}
