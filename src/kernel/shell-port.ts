import type { Exchange } from './exchange.js';

/** What holds a command: bubblewrap, or nothing but the ending of its process tree. */
export const sandboxKinds = ['bubblewrap', 'none'] as const;
export type SandboxKind = (typeof sandboxKinds)[number];

/** Runs commands in the workspace, for one session. Work that cannot be done is thrown as a `ToolFailure`. */
export interface Shell {
  /** The real paths of the workspace roots. */
  readonly roots: readonly string[];
  /**
   * Runs a command to its end, its time-out or its caller's cancellation. Whatever it started is gone then.
   * A command that fails or times out is a result like any other.
   */
  run(command: ShellCommand, exchange: Exchange): Promise<ShellResult>;
  /** Starts a command that goes on after the call. It ends by itself, by `stop`, when nobody polls, or with the gate. */
  start(command: ShellCommand): Promise<BackgroundStart>;
  /** What a command of this session wrote since it was last asked. */
  poll(id: string, filter?: string): Promise<BackgroundReport>;
  /** Ends a command of this session and everything that it started. */
  stop(id: string): Promise<BackgroundReport>;
}

export interface ShellCommand {
  readonly command: string;
  /** Absolute, or relative to the first root. Left out: the first root. */
  readonly cwd?: string;
  /** Of no meaning to `start`. */
  readonly timeoutMs?: number;
}

/** What was written, as text: at most 30,000 characters, and where the rest is. */
export interface ShellOutput {
  readonly stdout: string;
  readonly stderr: string;
  /** True when a part is missing from `stdout` or `stderr`; the text says where. */
  readonly truncated: boolean;
  /** Everything that was written, up to a limit: relative to the root that holds it. Only when truncated. */
  readonly outputFile?: string;
  /** False when `outputFile` lacks a part too, or could not be made. */
  readonly isFileComplete: boolean;
  readonly bytes: number;
}

export interface ShellEnd {
  /** As shells say it: 128 + n for a command that signal n ended. */
  readonly exitCode: number;
  /** The signal that the exit code stands for. */
  readonly signal?: string;
}

export interface ShellResult extends ShellOutput, ShellEnd {
  readonly timedOut: boolean;
  readonly durationMs: number;
  readonly sandbox: SandboxKind;
  readonly cwd: string;
  /** Processes that the command left running and that were ended. */
  readonly leftovers: number;
  /** Something that it started could not be ended. */
  readonly hasSurvivors: boolean;
  /** Configuration files that make agents or editors run commands, and which came to be while it ran. */
  readonly createdPaths: readonly string[];
}

export interface BackgroundStart {
  readonly id: string;
  readonly sandbox: SandboxKind;
  readonly cwd: string;
}

export const backgroundStates = ['running', 'finished', 'killed'] as const;
export type BackgroundState = (typeof backgroundStates)[number];

export interface BackgroundReport extends ShellOutput {
  readonly id: string;
  readonly command: string;
  readonly state: BackgroundState;
  /** Only when it no longer runs. */
  readonly end?: ShellEnd;
  /** As in `ShellResult`, once it has ended. */
  readonly createdPaths: readonly string[];
  /** Why it was ended, if it was not by itself and not by `stop`. */
  readonly reason?: string;
  readonly durationMs: number;
  readonly sandbox: SandboxKind;
  readonly cwd: string;
}
