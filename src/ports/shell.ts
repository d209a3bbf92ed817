import type { Exchange } from '../core/index.js';

/** How a command is isolated: bubblewrap, or not at all. */
export const sandboxKinds = ['bubblewrap', 'none'] as const;
export type SandboxKind = (typeof sandboxKinds)[number];

/** Runs commands in the workspace, for one session. Failures are thrown as `ToolFailure`. */
export interface Shell {
  /** Real paths of the workspace roots. */
  readonly roots: readonly string[];
  /**
   * Runs a command until it ends, times out or is cancelled. All processes that it started are ended too.
   * A command that fails or times out is a normal result.
   */
  run(command: ShellCommand, exchange: Exchange): Promise<ShellResult>;
  /** The same without a timeout, for callers that stream the output as bytes. */
  stream(command: StreamedCommand): Promise<StreamedEnd>;
  /** Starts a background command. It runs until it exits, is stopped, is not polled for too long, or the gateway ends. */
  start(command: ShellCommand): Promise<BackgroundStart>;
  /** The output of a background command since the last poll. */
  poll(id: string, filter?: string): Promise<BackgroundReport>;
  /** Ends a background command and all its processes. */
  stop(id: string): Promise<BackgroundReport>;
}

export interface ShellCommand {
  readonly command: string;
  /** Absolute, or relative to the first root. Default: the first root. */
  readonly cwd?: string;
  /** Ignored by `start`. */
  readonly timeoutMs?: number;
}

export interface StreamedCommand extends Pick<ShellCommand, 'command' | 'cwd'> {
  /** Additional environment variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** The shell to use. Default: the same as for all commands. */
  readonly interpreter?: string;
  /** Ends the command and all its processes. */
  readonly signal: AbortSignal;
  readonly onOutput: (stream: 'stdout' | 'stderr', chunk: Uint8Array) => void;
}

export interface StreamedEnd extends ShellEnd {
  readonly sandbox: SandboxKind;
  /** A sentence about the limit that the command exceeded. It was ended for that. */
  readonly breach?: string;
}

/** The output as text: at most 30,000 characters, and where to find the rest. */
export interface ShellOutput {
  readonly stdout: string;
  readonly stderr: string;
  /** True when `stdout` or `stderr` was cut; the text says where. */
  readonly truncated: boolean;
  /** File with the full output up to a limit, relative to its root. Only when truncated. */
  readonly outputFile?: string;
  /** False when `outputFile` is incomplete too, or could not be created. */
  readonly isFileComplete: boolean;
  readonly bytes: number;
}

export interface ShellEnd {
  /** Like in shells: 128 + n if signal n ended the command. */
  readonly exitCode: number;
  /** The signal that ended the command. */
  readonly signal?: string;
}

/** Changes to protected files while a command ran. Another process may have made them. */
export interface ShellTampering {
  /** New files that can make agents, editors or git run commands. */
  readonly createdPaths: readonly string[];
  /** Such files that were changed or removed. */
  readonly changedPaths: readonly string[];
  /** Such files that were removed again and for which the command was ended, because only an attack creates them. */
  readonly undonePaths: readonly string[];
}

/** Folders outside the workspace that sandboxed commands may write to; absent if none is configured. */
export interface ShellWritable {
  readonly writable?: readonly string[];
  /** Sentences about configured folders that are not writable. */
  readonly notWritable?: readonly string[];
}

export interface ShellResult extends ShellOutput, ShellEnd, ShellTampering, ShellWritable {
  readonly timedOut: boolean;
  /** A sentence about the limit that the command exceeded. It was ended for that. */
  readonly breach?: string;
  readonly durationMs: number;
  readonly sandbox: SandboxKind;
  readonly cwd: string;
  /** How many processes the command left running; they were ended. */
  readonly leftovers: number;
  /** A process that it started could not be ended. */
  readonly hasSurvivors: boolean;
}

export interface BackgroundStart extends ShellWritable {
  readonly id: string;
  readonly sandbox: SandboxKind;
  readonly cwd: string;
}

export const backgroundStates = ['running', 'finished', 'killed'] as const;
export type BackgroundState = (typeof backgroundStates)[number];

/** Changes to protected files are known once the command has ended. */
export interface BackgroundReport extends ShellOutput, ShellTampering, ShellWritable {
  readonly id: string;
  readonly command: string;
  readonly state: BackgroundState;
  /** Only after it has ended. */
  readonly end?: ShellEnd;
  /** Why it was ended, unless it exited or was stopped. */
  readonly reason?: string;
  readonly durationMs: number;
  readonly sandbox: SandboxKind;
  readonly cwd: string;
}
