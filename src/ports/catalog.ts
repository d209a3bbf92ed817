import type { Cancellation } from '../lib/cancellation.js';

/** Which tools a session lists: all (`eager`), the active ones (`list`), or only search and call_tool (`call_tool`). */
export type ExposureMode = 'eager' | 'list' | 'call_tool';

export type ToolState = 'activated' | 'already_active' | 'always_active' | 'not_activated';

/** A tool in a search result. */
export interface FoundTool {
  readonly name: string;
  readonly server: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly state: ToolState;
  /** Only for text queries. */
  readonly score?: number;
  readonly confidence?: 'high' | 'medium' | 'low';
}

/** A server of which the session can see at least one tool. */
export interface ServerInSight {
  readonly name: string;
  readonly status: 'connected' | 'pending' | 'failed' | 'needs_auth' | 'disabled';
  readonly tools: number;
  /** A short summary of its tools. */
  readonly digest: string;
  readonly errorCode?: string;
}

export interface ActiveCount {
  readonly count: number;
  readonly tokens: number;
  readonly maxCount: number;
  readonly maxTokens: number;
}

export interface SearchAnswer {
  readonly mode: ExposureMode;
  readonly query: string;
  readonly matches: readonly FoundTool[];
  /** Tools removed to make room, with the number of other calls since their last use. */
  readonly evicted: readonly { readonly name: string; readonly idleCalls: number }[];
  readonly notFound: readonly string[];
  /** Tools that were active and no longer exist. Reported once. */
  readonly gone: readonly string[];
  readonly totalMatches: number;
  readonly active: ActiveCount;
  readonly servers: readonly ServerInSight[];
  /** Instructions of servers whose tools this session gets for the first time. */
  readonly serverNotes: readonly { readonly server: string; readonly text: string }[];
  /** Why nothing was found or activated. */
  readonly reason?: 'empty_query' | 'no_match' | 'servers_pending' | 'no_servers' | 'nothing_deferred';
  /** Whether the client has refreshed its list since. Absent: no refresh was needed. */
  readonly relisted?: boolean;
  /** Other active tools, for a client that has missed a list refresh before. */
  readonly stillActive?: readonly string[];
}

export interface SearchOptions {
  readonly query: string;
  readonly maxResults: number;
  /** False to search without activating tools. */
  readonly activate: boolean;
}

export interface WaitAnswer {
  readonly servers: readonly (ServerInSight & { readonly waitedMs: number })[];
  readonly notFound: readonly string[];
  readonly allReady: boolean;
}

/** Finds and activates the tools that a session can see. */
export interface Catalog {
  search(options: SearchOptions, caller: Cancellation): Promise<SearchAnswer>;
  /** Only servers with at least one visible tool. */
  servers(): Promise<readonly ServerInSight[]>;
  /** Undefined for absent and hidden tools alike. */
  describe(name: string): FoundTool | undefined;
  wait(names: readonly string[] | undefined, timeoutMs: number, caller: Cancellation): Promise<WaitAnswer>;
}
