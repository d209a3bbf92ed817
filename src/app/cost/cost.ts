/** What one tool costs in every request of an agent that is shown it. */
export interface ToolCost {
  readonly name: string;
  /** As it is shown. */
  readonly server: string;
  readonly source: string;
  readonly tokens: number;
  /** Whether it stands in the prompt where nothing is deferred: what leads to deferred tools does not. */
  readonly isEager: boolean;
  /** Whether it stands in the prompt from the beginning where tools are deferred. */
  readonly isAlwaysListed: boolean;
  /** Whether it stands there now. */
  readonly isListedNow: boolean;
  /** Absent where no calls are recorded. */
  readonly calls?: number;
}

export interface ServerSum {
  /** As it is shown. */
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
