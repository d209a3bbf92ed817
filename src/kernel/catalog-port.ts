import type { Cancellation } from './cancellation.js';

/** How the tools of a session are shown: all of them, those it needs now, or none but those that lead to them. */
export type SurfaceMode = 'eager' | 'list' | 'bridge';

export type ToolState = 'activated' | 'already_active' | 'always_active' | 'not_activated';

/** A tool as a search gives it, whole. */
export interface FoundTool {
  readonly name: string;
  readonly server: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly state: ToolState;
  /** Only where words were looked for. */
  readonly score?: number;
  readonly confidence?: 'high' | 'medium' | 'low';
}

/** What is known of a server whose tools, or some of them, the session can see. */
export interface ServerInSight {
  readonly name: string;
  readonly status: 'connected' | 'pending' | 'failed' | 'needs_auth' | 'disabled';
  readonly tools: number;
  /** A few of its tools, in words, so that one can guess what it is for. */
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
  readonly mode: SurfaceMode;
  readonly query: string;
  readonly matches: readonly FoundTool[];
  /** What had to make room, with how many calls of others came since it was last used. */
  readonly evicted: readonly { readonly name: string; readonly idleCalls: number }[];
  readonly notFound: readonly string[];
  /** Tools that were active and are no longer there, told once. */
  readonly gone: readonly string[];
  readonly totalMatches: number;
  readonly active: ActiveCount;
  readonly servers: readonly ServerInSight[];
  /** What servers say about themselves whose tools this session gets for the first time. */
  readonly serverNotes: readonly { readonly server: string; readonly text: string }[];
  /** Why nothing was found, or nothing was done. */
  readonly reason?: 'empty_query' | 'no_match' | 'servers_pending' | 'no_servers' | 'nothing_deferred';
  /** Whether the client has read the list again since. Absent: it did not have to. */
  readonly relisted?: boolean;
}

export interface SearchWish {
  readonly query: string;
  readonly maxResults: number;
  /** False to look without making anything available. */
  readonly activate: boolean;
}

export interface WaitAnswer {
  readonly servers: readonly (ServerInSight & { readonly waitedMs: number })[];
  readonly notFound: readonly string[];
  readonly allReady: boolean;
}

/** The tools that a session can see: to find them, and to have them shown. */
export interface Catalog {
  search(wish: SearchWish, caller: Cancellation): Promise<SearchAnswer>;
  /** Only servers of which something can be seen. */
  servers(): Promise<readonly ServerInSight[]>;
  /** Undefined for what is not there, and for what is hidden. */
  describe(name: string): FoundTool | undefined;
  wait(names: readonly string[] | undefined, timeoutMs: number, caller: Cancellation): Promise<WaitAnswer>;
}
