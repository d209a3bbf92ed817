/** A tool call that the model makes. */
export interface ScriptedCall {
  readonly name: string;
  /** Sent as JSON. A text is sent as it is, so that a test can send what is not JSON. */
  readonly arguments?: Readonly<Record<string, unknown>> | string;
  /** Left out: `call_<n>`. */
  readonly id?: string;
}

/** What the model answers to one request. */
export interface ScriptedAnswer {
  readonly say?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Left out: `tool_calls` when there are calls, `stop` otherwise. */
  readonly finish?: string;
  readonly usage?: { readonly input: number; readonly output: number } | 'none';
  /** Into how many pieces each argument text is cut. Default: 3. */
  readonly pieces?: number;
  /** Pieces of several calls take turns. */
  readonly isInterleaved?: true;
  /** The `index` of each call, in their order. Default: 0, 1, 2 … */
  readonly indexes?: readonly number[];
}

/** How the bytes of an answer travel. */
export interface ScriptedDelivery {
  /** As many bytes at a time. Left out: one event at a time. */
  readonly chunkBytes?: number;
  /** The connection breaks after as many bytes of the body. */
  readonly cutAfter?: number;
  /** Milliseconds before the answer begins. */
  readonly delayMs?: number;
  /** Answers whole, also when a stream was asked for. */
  readonly isWhole?: true;
}

/** What goes wrong instead of an answer. */
export interface ScriptedFault {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The body as it is. Left out: an error as the format has it. */
  readonly body?: string;
  readonly message?: string;
  readonly code?: string;
  /** Never answers. */
  readonly hangs?: true;
}

export type ScriptedTurn = (ScriptedAnswer & ScriptedDelivery) | { readonly fails: ScriptedFault };

/** What the model was asked, whatever the format. */
export interface ModelRequest {
  readonly format: string;
  readonly model: string;
  readonly isStreaming: boolean;
  /** The names of the tools that it was shown, in their order. */
  readonly tools: readonly string[];
  /** Roles and texts of the conversation, in its order. */
  readonly messages: readonly { readonly role: string; readonly text: string }[];
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The body as sent. */
  readonly body: unknown;
}
