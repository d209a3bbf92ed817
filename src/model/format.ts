import type { CallKind, ModelRequest, ScriptedAnswer, ScriptedFault } from './turn.js';

/** A call with everything decided that a script may leave open. */
export interface SpokenCall {
  readonly name: string;
  readonly id: string;
  /** The arguments as text: JSON, unless the script wanted something else. */
  readonly text: string;
  readonly kind: CallKind | 'nested';
}

/** An answer as the formats write it down. */
export interface SpokenAnswer extends Omit<ScriptedAnswer, 'calls'> {
  readonly calls: readonly SpokenCall[];
}

/** What a format finds in a body. */
export type ReadRequest = Omit<ModelRequest, 'format' | 'headers' | 'body' | 'tools'>;

/** One way in which models are spoken to. The script is the same for all of them. */
export interface ModelFormat {
  readonly name: string;
  /** Whether a request to this path speaks it. */
  readonly isAt: (path: string) => boolean;
  /** Where it counts tokens. Such a request is answered at once, and is no part of the script. */
  readonly counting?: { readonly isAt: (path: string) => boolean; readonly answer: object };
  /** What the ids of calls begin with. */
  readonly idPrefix: string;
  readonly read: (body: unknown, path: string) => ReadRequest;
  /** The whole answer as a body. */
  readonly whole: (answer: SpokenAnswer, request: ModelRequest) => string;
  /** The same as a stream of server-sent events, one text each. */
  readonly events: (answer: SpokenAnswer, request: ModelRequest) => readonly string[];
  readonly fault: (fault: ScriptedFault) => string;
}
