/** How a model calls a tool. Only OpenAI Responses has kinds other than `function`. */
export type CallKind = 'function' | 'custom' | 'tool_search' | 'local_shell';

/** A tool call by the model. */
export interface ScriptedCall {
  /**
   * A string is sent unchanged, even if no such tool was shown. A pattern selects the first matching tool of the request.
   * In OpenAI Responses, `<namespace>/<tool>` is a tool in a namespace and `exec>NAME` is called by code for `exec`.
   */
  readonly name: string | RegExp;
  /** Sent as JSON. A string is sent unchanged, so that a test can send invalid JSON. */
  readonly arguments?: Readonly<Record<string, unknown>> | string;
  /** Default: numbered within the conversation, starting with `call_1`. */
  readonly id?: string;
  /** Default: as the tool was shown, or `function`. */
  readonly kind?: CallKind;
}

/** The model's answer to one request. */
export interface ScriptedAnswer {
  readonly say?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Default: the usual finish reason after calls or text. */
  readonly finish?: string;
  readonly usage?: { readonly input: number; readonly output: number } | 'none';
  /** Number of pieces each argument string is split into, if the format supports it. Default: 3. */
  readonly pieces?: number;
  /** Interleaves the pieces of several calls. Chat Completions only. */
  readonly isInterleaved?: true;
  /** The `index` of each call, in order. Default: 0, 1, 2 … Chat Completions only. */
  readonly indexes?: readonly number[];
}

/** How the bytes of an answer are sent. */
export interface ScriptedDelivery {
  /** Bytes per chunk. Default: one event per chunk. */
  readonly chunkBytes?: number;
  /** Breaks the connection after this many bytes of the body. */
  readonly cutAfter?: number;
  /** Milliseconds before the answer starts. */
  readonly delayMs?: number;
  /** Does not stream, even if the client asked for a stream. */
  readonly isWhole?: true;
}

/** A failure instead of an answer. */
export interface ScriptedFault {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** The exact body. Default: an error in the form of the API. */
  readonly body?: string;
  readonly message?: string;
  readonly code?: string;
  /** Never answers. */
  readonly hangs?: true;
}

export type ScriptedTurn = (ScriptedAnswer & ScriptedDelivery) | { readonly fails: ScriptedFault };

/** A tool the model was shown. */
export interface AdvertisedTool {
  /** As in `ModelRequest.tools`. */
  readonly name: string;
  /** `nested`: only named in the description of `exec`. */
  readonly kind: CallKind | 'nested' | 'built-in';
  /** Available only after a search; stays true afterwards. */
  readonly isDeferred: boolean;
}

/** The result of a call, as sent to the model. */
export interface ToolResult {
  readonly callId: string;
  /** The called tool; `''` if the conversation does not name it. */
  readonly tool: string;
  readonly text: string;
  /** Absent if the API has no such field: Chat Completions and OpenAI Responses. */
  readonly isError?: boolean;
}

/** A request to the model, in a form shared by all APIs. */
export interface ModelRequest {
  /** `openai-chat`, `anthropic-messages`, `openai-responses` or `gemini`. */
  readonly format: string;
  readonly model: string;
  readonly isStreaming: boolean;
  /** Names of the tools shown, in order: `<tool>`, `<namespace>/<tool>`, `exec>NAME`. */
  readonly tools: readonly string[];
  /** The same tools, with details. */
  readonly advertised: readonly AdvertisedTool[];
  /** Number of model turns with calls so far. */
  readonly turn: number;
  /** Results of the calls so far, in order. */
  readonly results: readonly ToolResult[];
  /** The system prompt. */
  readonly instructions: string;
  /** Roles and texts of the conversation, in order. */
  readonly messages: readonly { readonly role: string; readonly text: string }[];
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The body as sent. */
  readonly body: unknown;
}
