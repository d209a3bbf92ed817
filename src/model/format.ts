import type { CallKind, ModelRequest, ScriptedAnswer, ScriptedFault } from './turn.js';

/** A call with all defaults filled in. */
export interface SpokenCall {
  readonly name: string;
  readonly id: string;
  /** Arguments as text: JSON, unless the script sets something else. */
  readonly text: string;
  readonly kind: CallKind | 'nested';
}

/** An answer in the form the formats write. */
export interface SpokenAnswer extends Omit<ScriptedAnswer, 'calls'> {
  readonly calls: readonly SpokenCall[];
}

/** What a format reads from a request body. */
export type ReadRequest = Omit<ModelRequest, 'format' | 'headers' | 'body' | 'tools'>;

/** A model API. Scripts work with all of them. */
export interface ModelFormat {
  readonly name: string;
  /** Whether this path belongs to the API. */
  readonly isAt: (path: string) => boolean;
  /** Endpoint that counts tokens. Such a request is answered at once and does not advance the script. */
  readonly counting?: { readonly isAt: (path: string) => boolean; readonly answer: object };
  /** Prefix of call ids. */
  readonly idPrefix: string;
  readonly read: (body: unknown, path: string) => ReadRequest;
  /** The whole answer as a body. */
  readonly whole: (answer: SpokenAnswer, request: ModelRequest) => string;
  /** The answer as server-sent events. */
  readonly events: (answer: SpokenAnswer, request: ModelRequest) => readonly string[];
  readonly fault: (fault: ScriptedFault) => string;
}
