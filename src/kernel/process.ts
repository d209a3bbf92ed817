/** What a child process is started with: an exact command, never a shell line, and an exact environment. */
export interface ProcessOrder {
  /** Who it belongs to, for logs and `tidegate servers`. */
  readonly owner: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment of the child: nothing is inherited beyond this. */
  readonly env: Readonly<Record<string, string>>;
  /** `none`: the child reads an end at once, as from /dev/null. Left out: a pipe that `write` feeds. */
  readonly input?: 'none';
  /** The child has the terminal of this process, in the same group, so that its keys reach it. No pipes. */
  readonly isOnTerminal?: boolean;
  /** Left out: half a second after its stdin was closed, and two more after TERM. */
  readonly patience?: Patience;
  /**
   * stdout and stderr are pipes of the system where it has them, not Node's sockets: programs can open them again
   * as /dev/stdout, and a flood makes no garbage, because a chunk is valid only while its listener runs.
   */
  readonly hasSystemPipes?: boolean;
  /** Gives the child a fourth pipe, descriptor 3, on which it can tell what is not output. */
  readonly hasNotes?: boolean;
}

/** How long a tree may take to end by itself before the next rung of the ladder. */
export interface Patience {
  readonly afterInputMs: number;
  readonly afterTermMs: number;
}

/** A running child whose whole process group ends when it is closed, or when the gate dies. */
export interface ChildProcess {
  readonly pid: number;
  /** Writes bytes to the child's stdin; false means that the pipe is full and `onDrain` will follow. */
  write(text: string): boolean;
  onDrain(listener: () => void): void;
  /** Nothing more will be written: the child reads an end. */
  endInput(): void;
  onOutput(listener: (chunk: Uint8Array) => void): void;
  onErrorOutput(listener: (chunk: Uint8Array) => void): void;
  /** What the child writes to its fourth pipe, if its order gave it one. */
  onNotes(listener: (chunk: Uint8Array) => void): void;
  /** Called once, when the direct child has exited and its output is drained (bounded wait). */
  onExit(listener: (exit: ProcessExit) => void): void;
  /** Stops reading the child's output while the other side is slow. */
  pauseOutput(): void;
  resumeOutput(): void;
  pauseErrorOutput(): void;
  resumeErrorOutput(): void;
  /** Closes stdin, then TERM, then KILL on the whole tree; resolves when it is gone, or cannot be ended. */
  close(): Promise<ProcessEnd>;
}

export interface ProcessEnd {
  /** False when something withstood even KILL, or when the keeper took over. */
  readonly isGone: boolean;
  /** How many descendants still ran and were told to end, the child itself not counted. Linux only, else 0. */
  readonly ended: number;
}

export interface ProcessExit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** Starts children that cannot outlive the gate. The only way that any room starts a process. */
export interface Processes {
  start(order: ProcessOrder): Promise<ChildProcess>;
  /** Lets go of everything at once: the keeper ends what is left, also after this process is gone. */
  close(): Promise<void>;
}
