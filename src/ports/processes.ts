/** How to start a child process: an exact command (never a shell line) and an exact environment. */
export interface ProcessOrder {
  /** The owner, for logs and `tidegate servers`. */
  readonly owner: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The full environment of the child; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** `none`: stdin is empty, like /dev/null. Default: a pipe that `write` feeds. */
  readonly input?: 'none';
  /** The child uses this process's terminal and process group, so that it receives key presses. No pipes. */
  readonly isOnTerminal?: boolean;
  /** Default: half a second after stdin is closed, and two more seconds after TERM. */
  readonly patience?: Patience;
  /**
   * Use real pipes for stdout and stderr instead of Node's sockets where possible: programs can reopen them as
   * /dev/stdout, and much output creates no garbage, because a chunk is valid only while its listener runs.
   */
  readonly hasSystemPipes?: boolean;
  /**
   * A unique hard limit of open files that the child sets for itself. Its descendants inherit it, so they can be found
   * even without their environment and parent.
   */
  readonly fileLimitMark?: number;
  /**
   * If this process is killed, the reaper removes the empty folders listed in this file (one JSON string per line), unless
   * a file with the same name in a sibling folder lists them too. In a cgroup it ends the processes first.
   */
  readonly foldersFile?: string;
  /** Gives the child a fourth pipe (descriptor 3) for messages that are not output. */
  readonly hasNotes?: boolean;
}

/** How long a process tree may take to end before the next step of the kill ladder. */
export interface Patience {
  readonly afterInputMs: number;
  readonly afterTermMs: number;
}

/** A running child. Its whole process group ends when it is closed, or when the gateway dies. */
export interface ChildProcess {
  readonly pid: number;
  /** Writes bytes to the child's stdin; false means that the pipe is full and `onDrain` will follow. */
  write(text: string): boolean;
  onDrain(listener: () => void): void;
  /** Closes stdin. */
  endInput(): void;
  onOutput(listener: (chunk: Uint8Array) => void): void;
  onErrorOutput(listener: (chunk: Uint8Array) => void): void;
  /** Data from the child's fourth pipe, if it has one. */
  onNotes(listener: (chunk: Uint8Array) => void): void;
  /** Called once, when the direct child has exited and its output is drained (with a time limit). */
  onExit(listener: (exit: ProcessExit) => void): void;
  /** Pauses reading the child's output while the consumer is slow. */
  pauseOutput(): void;
  resumeOutput(): void;
  pauseErrorOutput(): void;
  resumeErrorOutput(): void;
  /** Closes stdin, then sends TERM, then KILL to the whole tree. Resolves when it has ended or cannot be ended. */
  close(): Promise<ProcessEnd>;
}

export interface ProcessEnd {
  /** False when something survived KILL, or when the reaper took over. */
  readonly isGone: boolean;
  /** How many descendants were still running and were ended, not counting the child. Linux only, otherwise 0. */
  readonly ended: number;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** Starts children that cannot outlive the gateway. No module may start processes in any other way. */
export interface Processes {
  start(order: ProcessOrder): Promise<ChildProcess>;
  /** Releases everything at once. The reaper ends what is left, even after this process is gone. */
  close(): Promise<void>;
}
