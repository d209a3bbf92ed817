/** How a model calls a tool. Formats other than OpenAI Responses have `function` only. */
export type CallKind = 'function' | 'custom' | 'tool_search' | 'local_shell';

/** A tool call that the model makes. */
export interface ScriptedCall {
  /**
   * A text is sent as it is, whether or not such a tool was shown. A pattern takes the first tool of that very request
   * whose name it fits. In OpenAI Responses `<namespace>/<tool>` is a tool in a namespace and `exec>NAME` one that is
   * called by code for `exec`.
   */
  readonly name: string | RegExp;
  /** Sent as JSON. A text is sent as it is, so that a test can send what is not JSON. */
  readonly arguments?: Readonly<Record<string, unknown>> | string;
  /** Left out: numbered through the conversation, `call_1` first. */
  readonly id?: string;
  /** Left out: as the tool was shown, or `function`. */
  readonly kind?: CallKind;
}

/** What the model answers to one request. */
export interface ScriptedAnswer {
  readonly say?: string;
  readonly calls?: readonly ScriptedCall[];
  /** Left out: what the format says after calls, or after text. */
  readonly finish?: string;
  readonly usage?: { readonly input: number; readonly output: number } | 'none';
  /** Into how many pieces each argument text is cut, where the format has pieces. Default: 3. */
  readonly pieces?: number;
  /** Pieces of several calls take turns. Chat Completions only. */
  readonly isInterleaved?: true;
  /** The `index` of each call, in their order. Default: 0, 1, 2 … Chat Completions only. */
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

/** A tool that the model was shown. */
export interface AdvertisedTool {
  /** As in `ModelRequest.tools`. */
  readonly name: string;
  /** `nested`: named in the description of `exec` only. */
  readonly kind: CallKind | 'nested' | 'built-in';
  /** Only for those who searched for it; the mark stays after that. */
  readonly isDeferred: boolean;
}

/** What came of a call, as the model is told it. */
export interface ToolResult {
  readonly callId: string;
  /** The tool that was called, `''` when the conversation does not say. */
  readonly tool: string;
  readonly text: string;
  /** Left out where the format does not say it: Chat Completions and OpenAI Responses. */
  readonly isError?: boolean;
}

/** What the model was asked, whatever the format. */
export interface ModelRequest {
  /** `openai-chat`, `anthropic-messages`, `openai-responses` or `gemini`. */
  readonly format: string;
  readonly model: string;
  readonly isStreaming: boolean;
  /** The names of the tools that it was shown, in their order: `<tool>`, `<namespace>/<tool>`, `exec>NAME`. */
  readonly tools: readonly string[];
  /** The same tools, and how they were shown. */
  readonly advertised: readonly AdvertisedTool[];
  /** How many turns of the model with calls the conversation holds. */
  readonly turn: number;
  /** What came of the calls so far, in their order. */
  readonly results: readonly ToolResult[];
  /** What stands above the conversation: the system prompt. */
  readonly instructions: string;
  /** Roles and texts of the conversation, in its order. */
  readonly messages: readonly { readonly role: string; readonly text: string }[];
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The body as sent. */
  readonly body: unknown;
}
