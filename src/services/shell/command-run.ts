import { join } from 'node:path';
import type { ChildProcess, Processes, ProcessEnd, ProcessExit } from '../../ports/processes.js';
import type {
  SandboxKind,
  ShellEnd,
  ShellTampering,
  ShellWritable,
  StreamedCommand,
} from '../../ports/shell.js';
import type { Cgroup, OpenCgroup } from './cgroup.js';
import { type Capture, openCapture } from './capture.js';
import {
  type CommandLine,
  filterDescriptor,
  inSandbox,
  inShell,
  type Notes,
  readNotes,
  withLimits,
} from './command-line.js';
import { commandEnvironment } from './environment.js';
import { shellEnd } from './exit-code.js';
import type { FileLimit } from './file-limit.js';
import { type Ground, type GroundParts, layGround } from './ground.js';
import type { LimitWatch } from './limit-watch.js';
import { describeBreach, type ShellLimits, threadsOf } from './limits.js';
import { namespaceArgs } from './mounts.js';
import type { SpoolFolder } from './spool-folder.js';

export interface CommandParts extends GroundParts {
  readonly processes: Processes;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly interpreter: string;
  /** The sandbox program; undefined runs commands without a sandbox. */
  readonly bubblewrap: string | undefined;
  readonly folder: SpoolFolder;
  readonly limits: ShellLimits;
  readonly fileLimit: FileLimit;
  readonly openCgroup: OpenCgroup;
  readonly limitWatch: LimitWatch;
  readonly hasNetwork: boolean;
  readonly reach: ShellWritable;
  /** See `ProcessOrder`. */
  readonly foldersFile: string;
  /** See `Scratch`. */
  readonly callFilter: string | undefined;
  /** The root that contains `folder`. */
  readonly root: string;
}

export interface CommandOrder {
  readonly command: string;
  readonly cwd: string;
  readonly isBackground: boolean;
  readonly env?: Readonly<Record<string, string>>;
  readonly interpreter?: string;
  /** Receives output as it arrives. A chunk is valid only during the call. */
  readonly onOutput?: StreamedCommand['onOutput'];
}

/**
 * A running command. When `ended` resolves, no process of it is left unless `hasSurvivors` is true. It never rejects.
 */
export interface CommandRun {
  readonly sandbox: SandboxKind;
  readonly reach: ShellWritable;
  /** See `Mounts`; empty without a sandbox. */
  readonly points: ReadonlySet<string>;
  readonly cwd: string;
  readonly startedAt: number;
  readonly capture: Capture;
  readonly ended: Promise<CommandEnd>;
  /** Ends the command and all its processes. */
  end(): void;
}

export interface CommandEnd extends ShellEnd, ShellTampering {
  /** A sentence about the limit for which the command was ended. */
  readonly breach?: string;
  /** False if even the sandbox failed to start. */
  readonly hasBegun: boolean;
  readonly leftovers: number;
  readonly hasSurvivors: boolean;
  readonly durationMs: number;
}

const patience = { afterInputMs: 0, afterTermMs: 400 };
/** After the kill ladder gives up, do not wait longer for processes stuck in the kernel. */
const lastMs = 1000;

export async function startCommand(parts: CommandParts, order: CommandOrder): Promise<CommandRun> {
  const sandbox = parts.bubblewrap === undefined ? 'none' : 'bubblewrap';
  const { mounts, processes, folder, root } = parts;
  const { interpreter = parts.interpreter, onOutput } = order;
  const env = { ...parts.env, ...order.env };
  const { isBackground } = order;
  const ground = await layGround(parts, { isSandboxed: sandbox === 'bubblewrap', isBackground });
  const cgroup = parts.openCgroup(parts.limits);
  const line = commandLine(parts, order, ground, cgroup);
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
      foldersFile: parts.foldersFile,
      hasNotes: sandbox !== 'none',
      // In the sandbox, the kernel ends all processes.
      ...(sandbox === 'none' && { fileLimitMark: parts.fileLimit.hard }),
    });
    const notes = collectNotes(child);
    const capture = openCapture({ child, folder, nameFor, ...(onOutput && { onOutput }) });
    const { ended, end } = follow(child, () => readNotes(sandbox, notes()));
    ground.onAttack(end);
    let breach: string | undefined;
    const stopWatching = parts.limitWatch.watch({
      pid: child.pid,
      limits: parts.limits,
      cgroup,
      onBreach(reason) {
        breach = reason;
        end();
      },
    });
    const finished = ended.then(async (how) => {
      stopWatching();
      const late = cgroup?.breach();
      if (late !== undefined) breach ??= describeBreach(late, parts.limits);
      await cgroup?.close().catch(() => undefined);
      const durationMs = Math.round(performance.now() - startedAt);
      return { ...how, ...(await ground.release()), durationMs, ...(breach !== undefined && { breach }) };
    });
    const { reach } = parts;
    return {
      sandbox,
      reach,
      points: ground.points,
      cwd: order.cwd,
      startedAt,
      capture,
      ended: finished,
      end,
    };
  } catch (error) {
    await cgroup?.close();
    await ground.release();
    throw error;
  }
}

function commandLine(
  { bubblewrap, limits, fileLimit, callFilter, hasNetwork, ...parts }: CommandParts,
  { command, cwd, isBackground, interpreter = parts.interpreter }: CommandOrder,
  { args: mounts, expected }: Ground,
  cgroup: Cgroup | undefined,
): CommandLine {
  const inner = inShell(interpreter, command, isBackground);
  const own = { openFiles: fileLimit, cpuSeconds: limits.cpuSeconds, cgroups: cgroup?.folders ?? [] };
  if (bubblewrap === undefined) return withLimits({ ...own, filterFile: undefined }, inner);
  const filter = callFilter === undefined ? [] : ['--seccomp', String(filterDescriptor)];
  const network = hasNetwork ? [] : ['--unshare-net'];
  const options = [...namespaceArgs, ...network, ...filter, ...mounts, '--chdir', cwd];
  // The kernel counts threads, so the limit allows several per process. The limit watch counts processes exactly.
  const tasks = limits.processes === 0 ? 'unlimited' : String(threadsOf(limits.processes));
  return withLimits(
    { ...own, filterFile: callFilter },
    inSandbox({ program: bubblewrap, options, tasks, expected }, inner),
  );
}

function collectNotes(child: ChildProcess): () => string {
  let text = '';
  child.onNotes((chunk) => {
    if (text.length < 100) text += Buffer.from(chunk).toString('latin1');
  });
  return () => text;
}

type Followed = Omit<CommandEnd, 'durationMs' | 'breach' | keyof ShellTampering>;

/** Follows the command from its exit, or from `end`, until none of its processes is left. */
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
      // In the sandbox, the kernel ends the leftovers, so the notes already counted them.
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
