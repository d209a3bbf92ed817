import type { Session } from '../core/index.js';

/**
 * Tidegate's own files, wherever they are. Private files (state, store, logs, output of other principals) look absent to
 * every caller. Governing files (configuration, profiles, model) are never written and look absent to everyone but the
 * operator. The running program is read-only. All paths are absolute real paths.
 */
export interface OwnPaths {
  /** The rules for a session, based on the current state of the disk. */
  viewOf(session: Session): OwnView;
}

export interface OwnView {
  /** Whether the path must look absent. */
  hides(path: string): boolean;
  /** Whether a hard-linked file is such a file under a name that `hides` does not know. */
  hidesFile(file: FileIdentity): boolean;
  /** Whether `hidesFile` must be called; usually none of our files has a hard link. */
  readonly hasSecondNames: boolean;
  /** The end of a sentence that starts with `it`, saying why writing is refused. Undefined if it is allowed. */
  whyNotWritten(path: string): string | undefined;
  /** Paths below a folder that must look absent, relative to it and with slashes. */
  hiddenBelow(folder: string): readonly HiddenName[];
  /** What the sandbox must hide or protect from this caller's commands. */
  readonly masks: OwnMasks;
  /** The folder below `.tidegate/output` for this principal's command output. */
  readonly outputName: string;
  /** Why this caller's commands must not run with, or without, a sandbox; undefined if they may. */
  whyNotRun(isSandboxed: boolean): RunRefusal | undefined;
}

export interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly nlink: bigint;
}

export interface HiddenName {
  readonly path: string;
  /** Includes the names of copies and companion files: `-wal`, `.1`, `.bak`. */
  readonly hasCompanions: boolean;
}

export interface OwnMasks {
  /** What a command must not read: existing files and folders, and folders that may be created while it runs. */
  readonly hidden: readonly string[];
  /** Existing files and folders that a command may read but not change. */
  readonly fixed: readonly string[];
  /** Paths in `hidden` and `fixed` that are ours only by their name: a command can create a file with that name. */
  readonly byName: readonly string[];
  /** Paths that must not be created while a command runs, and must not change if they exist. */
  readonly absent: readonly string[];
  /** Folders for command output, existing or not; only `outputName` is visible in each. */
  readonly output: readonly string[];
}

export interface RunRefusal {
  readonly reason: string;
  readonly message: string;
  readonly suggestion: string;
}

/** For a service opened on its own: protects no files. */
export const noOwnPaths: OwnPaths = {
  viewOf: () => ({
    hides: () => false,
    hidesFile: () => false,
    hasSecondNames: false,
    whyNotWritten: () => undefined,
    hiddenBelow: () => [],
    masks: { hidden: [], fixed: [], byName: [], absent: [], output: [] },
    outputName: 'own',
    whyNotRun: () => undefined,
  }),
};

/** True when any part of the caller's rights comes from grants, so it can do less than the operator. */
export function hasOwnRights({ chain = [] }: Pick<Session, 'chain'>): boolean {
  return chain.length === 0 || chain.some(({ rights }) => rights === 'own');
}
