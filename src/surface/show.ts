import type { Cancellation, Client, Session, Source, Spec, SurfaceMode, ToolSpec } from '../kernel/index.js';
import type { Activation, ActivationSet } from './activation.js';

/** Decides what of the visible set a session is shown now. */
export interface Surface {
  /** Never more than is visible; the very same list as long as nothing changed. Without a client: everything. */
  show<S extends Spec>(session: Session, visible: readonly S[], client?: Client): readonly S[];
  /** The client has just read its tools: whoever waits for that goes on. */
  listed(session: Session): void;
  /** A tool was called, also one that was not shown: from now on it is. */
  called(session: Session, tool: ToolSpec, visible: readonly Spec[], client: Client): void;
  /** Whether this tool is not shown to the session now, so that the caller may never have read its schema. */
  isDeferred(session: Session, tool: ToolSpec, visible: readonly Spec[], client: Client): boolean;
  /** What the model is told about tools that it is not shown. The same words for as long as the session lasts. */
  instructions(session: Session, visible: readonly Spec[], client: Client): string | undefined;
  /** Whether the tools of this source are deferred wherever any are. */
  defers(source: Source): boolean;
  /** Told which session is shown something else. */
  onChange(listener: (session: string) => void): () => void;
  forget(session: Session): void;
}

/** What whoever searches for a session can do with its surface. */
export interface ActiveTools {
  mode(session: Session, visible: readonly Spec[]): SurfaceMode;
  /** Whether this client is shown everything because it defers tools by itself. */
  defersItself(session: Session, visible: readonly Spec[], client: Client): boolean;
  /** What is active now of what is visible; `gone` are those that were and are not there any more, told once. */
  active(session: Session, visible: readonly Spec[]): ActiveNow;
  isDeferrable(tool: ToolSpec, visible: readonly Spec[]): boolean;
  /** Makes tools available, best first. */
  activate(session: Session, tools: readonly ToolSpec[], visible: readonly Spec[]): Activation;
  /** Resolves with true when the client has read its list since, with false when it did not in time. */
  untilListed(session: Session, caller: Cancellation): Promise<boolean>;
  /** Where nothing can be found, nothing is hidden: for everybody, until the gate starts again. */
  showEverything(reason: string): void;
  /** For a session whose client is started by us and known to obey. */
  prefer(session: Session, wish: SurfaceWish): void;
  /** Whether a server is met for the first time in this session. From then on it is not. */
  isFirst(session: Session, server: string): boolean;
  /** What a search has just told the session of, best first. */
  told(session: Session, names: readonly string[]): void;
  /** How much of its tools a session is shown, for whoever counts; undefined where all of them are. */
  facts(session: Session, visible: readonly Spec[], client: Client): SurfaceFacts | undefined;
  /** Which place this tool had in what searches told the session of last. */
  placeInSearch(session: Session, name: string): number | undefined;
  /** Every session of which something is kept, for the operator. */
  sessions(): readonly SessionView[];
}

export interface SurfaceFacts {
  readonly deferred: number;
  readonly advertisedTokens: number;
  readonly avoidedTokens: number;
}

export interface SurfaceWish {
  readonly lazy?: 'auto' | 'on' | 'off';
  readonly delivery?: 'auto' | 'list' | 'bridge';
  /** What a trial of its program has shown, where nobody set anything else. */
  readonly learned?: 'list' | 'bridge';
}

export interface ActiveNow {
  readonly set: ActivationSet;
  readonly gone: readonly string[];
}

export interface SessionView {
  readonly session: Session;
  readonly mode: SurfaceMode;
  readonly client?: string;
  readonly set: ActivationSet;
}

/** Shows everything that is visible. */
export function createEagerSurface(): Surface {
  return {
    show: (_session, visible) => visible,
    listed: () => undefined,
    called: () => undefined,
    isDeferred: () => false,
    instructions: () => undefined,
    defers: () => false,
    onChange: () => () => undefined,
    forget: () => undefined,
  };
}
