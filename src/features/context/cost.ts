/** What one tool costs in every request of an agent that sees it. */
export interface ToolCost {
  readonly name: string;
  /** Display name. */
  readonly server: string;
  readonly source: string;
  readonly tokens: number;
  /** Whether the tool is in the prompt when no tools are deferred; tool search and `call_tool` are not. */
  readonly isEager: boolean;
  /** Whether the tool is in the prompt from the start when tools are deferred. */
  readonly isAlwaysListed: boolean;
  /** Whether the tool is in the prompt now. */
  readonly isListedNow: boolean;
  /** Absent if no calls are recorded. */
  readonly calls?: number;
}

export interface ServerSum {
  /** Display name. */
  readonly server: string;
  readonly source: string;
  readonly tools: number;
  readonly eager: number;
  readonly lazy: number;
  readonly calls?: number;
}

export interface Amount {
  readonly tools: number;
  readonly tokens: number;
}
