import type { Cancellation } from '../lib/cancellation.js';
import type { Client, Session, Source, ToolSpec, VisibleTools } from '../core/index.js';
import type { ExposureMode } from '../ports/catalog.js';
import type { Activation, ActivationSet } from './activation.js';

/** Decides which visible tools a session lists. */
export interface Exposure {
  /** A subset of the visible tools. Returns the same array while nothing has changed. Without a client: all. */
  show(session: Session, visible: VisibleTools, client?: Client): readonly ToolSpec[];
  /** The client has just read its tool list; pending waits continue. */
  listed(session: Session): void;
  /** A tool was called: activates it. Returns true if it was not listed, so that the caller may not know its schema. */
  called(session: Session, tool: ToolSpec, visible: VisibleTools, client: Client): boolean;
  /** Instructions about lazy tools for the model. Stable for the whole session. */
  instructions(session: Session, visible: VisibleTools, client: Client): string | undefined;
  /** Whether the tools of this source are deferred for this client. */
  defers(session: Session, source: Source, visible: VisibleTools, client: Client): boolean;
  /** Called with the session whose list changed. */
  onChange(listener: (session: string) => void): () => void;
  forget(session: Session): void;
}

/** The operations of tool search on a session's active tools. */
export interface ActiveTools {
  mode(session: Session, visible: VisibleTools): ExposureMode;
  /** Whether this client gets all tools because it defers them itself. */
  defersItself(session: Session, visible: VisibleTools, client: Client): boolean;
  /** The active tools; `gone` are tools that were active and no longer exist, reported once. */
  active(session: Session, visible: VisibleTools): ActiveNow;
  /** Whether its client was asked to refresh its list and did not in time. */
  hasMissedList(session: Session): boolean;
  isDeferrable(session: Session, tool: ToolSpec, visible: VisibleTools): boolean;
  /** Activates tools, best first. */
  activate(session: Session, tools: readonly ToolSpec[], visible: VisibleTools): Activation;
  /** Resolves with true when the client has refreshed its list, with false on timeout. */
  untilListed(session: Session, caller: Cancellation): Promise<boolean>;
  /** If search does not work, lists all tools for all sessions until the gateway restarts. */
  showEverything(reason: string): void;
  /** Overrides for a session whose client was started by us. */
  prefer(session: Session, options: ExposureOptions): void;
  /** Returns true the first time a server is used in this session. */
  isFirst(session: Session, server: string): boolean;
  /** Records the result of a search, best first. */
  told(session: Session, names: readonly string[]): void;
  /** Counts of listed tools for statistics; undefined if all are listed. */
  facts(session: Session, visible: VisibleTools, client: Client): ExposureFacts | undefined;
  /** The rank of this tool in recent searches. */
  placeInSearch(session: Session, name: string): number | undefined;
  /** Called when the state of any session has changed. */
  onActivity(listener: () => void): () => void;
  /** All sessions with state, for the operator. */
  sessions(): readonly SessionView[];
}

export interface ExposureFacts {
  readonly deferred: number;
  readonly advertisedTokens: number;
  readonly avoidedTokens: number;
}

export interface ExposureOptions {
  readonly lazy?: 'auto' | 'on' | 'off';
  readonly delivery?: 'auto' | 'list' | 'call_tool';
  /** What a test of the client showed; used if nothing is configured. */
  readonly learned?: 'list' | 'call_tool';
}

export interface ActiveNow {
  readonly set: ActivationSet;
  readonly gone: readonly string[];
}

export interface SessionView {
  readonly session: Session;
  readonly mode: ExposureMode;
  readonly client?: string;
  readonly set: ActivationSet;
}

/** Lists all visible tools. */
export function createEagerExposure(): Exposure {
  return {
    show: (_session, visible) => visible.list,
    listed: () => undefined,
    called: () => false,
    instructions: () => undefined,
    defers: () => false,
    onChange: () => () => undefined,
    forget: () => undefined,
  };
}
