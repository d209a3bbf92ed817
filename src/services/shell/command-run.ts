import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { ChildProcess, Processes, ProcessEnd, ProcessExit } from '../../kernel/process.js';
import type { SandboxKind, ShellEnd } from '../../kernel/shell-port.js';
import { type Capture, openCapture } from './capture.js';
import { inSandbox, inShell, type Notes, readNotes } from './command-line.js';
import { commandEnvironment } from './environment.js';
import { shellEnd } from './exit-code.js';
import { layMounts, type MountParts, namespaceArgs } from './mounts.js';
import type { SpoolFolder } from './spool-folder.js';

export interface CommandParts {
  readonly processes: Processes;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly interpreter: string;
  /** The sandbox program, or undefined for none. */
  readonly bubblewrap: string | undefined;
  readonly mounts: MountParts;
  readonly folder: SpoolFolder;
  /** A path as the caller may name it. */
  readonly pathFor: (path: string) => string;
  /** The root in which `folder` is. */
  readonly root: string;
}

export interface CommandOrder {
  readonly command: string;
  readonly cwd: string;
  readonly isBackground: boolean;
}

/** A command that runs. Nothing of it is left when `ended` resolves, and it never rejects. */
export interface CommandRun {
  readonly sandbox: SandboxKind;
  /** See `Mounts`; empty without sandbox. */
  readonly points: ReadonlySet<string>;
  readonly cwd: string;
  readonly startedAt: number;
  readonly capture: Capture;
  readonly ended: Promise<CommandEnd>;
  /** Ends it and all that it started. */
  end(): void;
}

export interface CommandEnd extends ShellEnd {
  /** False when not even the sandbox came to be. */
  readonly hasBegun: boolean;
  readonly leftovers: number;
  readonly hasSurvivors: boolean;
  /** Protected files that came to be. */
  readonly createdPaths: readonly string[];
  readonly durationMs: number;
}

const patience = { afterInputMs: 0, afterTermMs: 400 };
/** After the ladder gave up: what the kernel holds is not waited for. */
const lastMs = 1000;

export async function startCommand(parts: CommandParts, order: CommandOrder): Promise<CommandRun> {
  const sandbox = parts.bubblewrap === undefined ? 'none' : 'bubblewrap';
  const { env, interpreter, mounts } = parts;
  const inner = inShell(interpreter, order.command, order.isBackground);
  const laid = parts.bubblewrap === undefined ? undefined : layMounts(mounts);
  const options = [...namespaceArgs, ...(laid?.args ?? []), '--chdir', order.cwd];
  const line = parts.bubblewrap === undefined ? inner : inSandbox(parts.bubblewrap, options, inner);
  const { processes, folder, root } = parts;
  const nameFor = (file: string) => parts.pathFor(join(root, file));
  const startedAt = performance.now();
  try {
    const child = await processes.start({
      owner: 'Bash',
      command: line.command,
      args: line.args,
      cwd: order.cwd,
      env: commandEnvironment({ env, interpreter, sandbox, temporary: mounts.temporary }),
      input: 'none',
      patience,
      hasSystemPipes: true,
      hasNotes: sandbox !== 'none',
    });
    const notes = collectNotes(child);
    const capture = openCapture({ child, folder, nameFor });
    const { ended, end } = follow(child, () => readNotes(sandbox, notes()));
    const finished = ended.then((how) => {
      laid?.release();
      const createdPaths = (laid?.absent ?? []).filter((path) => existsSync(path)).map(parts.pathFor);
      return { ...how, createdPaths, durationMs: Math.round(performance.now() - startedAt) };
    });
    const points = laid?.points ?? new Set<string>();
    return { sandbox, points, cwd: order.cwd, startedAt, capture, ended: finished, end };
  } catch (error) {
    laid?.release();
    throw error;
  }
}

function collectNotes(child: ChildProcess): () => string {
  let text = '';
  child.onNotes((chunk) => {
    if (text.length < 100) text += Buffer.from(chunk).toString('latin1');
  });
  return () => text;
}

type Followed = Omit<CommandEnd, 'durationMs' | 'createdPaths'>;

/** From the exit of the command, or from `end`, until nothing of it is left. */
function follow(child: ChildProcess, notes: () => Notes) {
  let wasEnded = false;
  let giveUp = (_exit: ProcessExit): void => {};
  const exited = new Promise<ProcessExit>((resolve) => {
    child.onExit(resolve);
    giveUp = resolve;
  });
  const tell = (exit: ProcessExit, how: ProcessEnd): Followed => {
    const { hasBegun, left } = notes();
    return {
      ...shellEnd(exit),
      hasBegun: hasBegun || wasEnded,
      // In the sandbox the kernel ends them, so whoever is still there is counted already.
      leftovers: wasEnded ? 0 : (left ?? how.ended),
      hasSurvivors: !how.isGone,
    };
  };
  const ended = exited.then(async (exit) => tell(exit, await child.close()));
  const end = () => {
    wasEnded = true;
    void child.close().then(() => {
      setTimeout(() => giveUp({ code: null, signal: 'SIGKILL' }), lastMs).unref();
    });
  };
  return { ended, end };
}
