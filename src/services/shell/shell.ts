import { existsSync, realpathSync } from 'node:fs';
import type { Exchange } from '../../kernel/exchange.js';
import type { PortService, Readiness } from '../../kernel/ports.js';
import type { Processes } from '../../kernel/process.js';
import type { Shell, ShellCommand } from '../../kernel/shell-port.js';
import { ToolFailure } from '../../kernel/tool-failure.js';
import { openBackground } from './background.js';
import { findBubblewrap } from './bubblewrap.js';
import { type CommandParts, type CommandRun, startCommand } from './command-run.js';
import { attend, isNotSetUp } from './foreground.js';
import { isInside, pathForCallers, resolveDirectory } from './inside.js';
import { createPlaceholders } from './placeholders.js';
import { openScratch } from './scratch.js';
import { createSpoolFolder, type SpoolFolder } from './spool-folder.js';

interface ShellParts {
  readonly roots: readonly string[];
  readonly stateDir: string;
  readonly processes: Processes;
  /** What the operator lets commands know. Nothing else of the gate's environment reaches them. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What no command may change in a root, absolute or relative to it. */
  readonly protectedPaths: (root: string) => readonly string[];
  readonly log?: (line: string) => void;
}

const usualTimeoutMs = 120_000;
const maxRunning = 64;
/** The system takes no argument above 128 KiB. */
const maxCommandBytes = 120_000;
const closeMs = 3000;

/** Runs commands in the workspace: in a sandbox where there is one, and ended with everything that they start. */
export function openShell(parts: ShellParts): PortService<Shell> {
  const log = parts.log ?? (() => {});
  const roots = parts.roots.map(realOf);
  const interpreter = findInterpreter();
  const scratch = openScratch(parts.stateDir);
  const placeholders = createPlaceholders(scratch.recordFile);
  const folders = new Map(roots.map((root) => [root, createSpoolFolder(root, log)]));
  const background = openBackground();
  const running = new Set<CommandRun>();
  const path = parts.env['PATH'] ?? '/usr/bin:/bin';
  let bubblewrap: Promise<string | undefined> | undefined;
  let hasClosed = false;
  const isClosed = () => hasClosed;
  let starting = 0;
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(start: () => Promise<T>): Promise<T> => {
    const turn = last.then(start, start);
    last = turn.catch(() => undefined);
    return turn;
  };

  const prepare = async (sessionId: string, cwd: string): Promise<CommandParts> => {
    bubblewrap ??= findBubblewrap({ roots, processes: parts.processes, path, log });
    const { processes, env, protectedPaths, stateDir } = parts;
    const temporary = scratch.temporaryOf(sessionId);
    const held = () => [...running].map(({ points }) => points);
    const mounts = { roots, protectedPaths, placeholders, temporary, stateDir, held };
    const [root, folder] = folderOf(folders, cwd);
    const pathFor = (file: string) => pathForCallers(file, roots);
    return { processes, env, interpreter, bubblewrap: await bubblewrap, mounts, folder, root, pathFor };
  };
  const begin = async (sessionId: string, order: ShellCommand, isBackground: boolean) => {
    check(order.command);
    if (isClosed()) throw closing();
    if (running.size + starting >= maxRunning) throw tooMany();
    starting += 1;
    try {
      refuseMovedRoots(roots);
      refuseStateInside(roots, parts.stateDir);
      const cwd = await resolveDirectory(order.cwd, roots);
      const prepared = await prepare(sessionId, cwd);
      // One after the other, so that each start knows what the commands before it hold.
      const run = await inTurn(async () => {
        const started = await startCommand(prepared, { command: order.command, cwd, isBackground }).catch(
          notStarted,
        );
        running.add(started);
        return started;
      });
      void run.ended.then(() => running.delete(run));
      // Closed while the command was about to start: nobody else would end it.
      if (isClosed()) run.end();
      return run;
    } finally {
      starting -= 1;
    }
  };
  const serve = (sessionId: string): Shell => ({
    roots,
    run: async (order: ShellCommand, exchange: Exchange) => {
      const timeoutMs = order.timeoutMs ?? usualTimeoutMs;
      const attempt = async () => attend(await begin(sessionId, order, false), timeoutMs, exchange);
      try {
        return await attempt();
      } catch (error) {
        // Another gate may have taken its placeholders away in the moment in which they were to be mounted.
        if (isNotSetUp(error)) return attempt();
        throw error;
      }
    },
    start: async (order: ShellCommand) => {
      const giveBack = background.reserve(sessionId);
      try {
        const run = await begin(sessionId, order, true);
        const id = background.add(sessionId, order.command, run);
        return { id, sandbox: run.sandbox, cwd: run.cwd };
      } finally {
        giveBack();
      }
    },
    poll: (id, filter) => background.poll(sessionId, id, filter),
    stop: (id) => background.stop(sessionId, id),
  });

  return {
    readiness: () => readinessOf(interpreter),
    serve: ({ id }) => serve(id),
    async close() {
      hasClosed = true;
      for (const run of running) run.end();
      const ended = Promise.all([background.close(), ...[...running].map((run) => run.ended)]);
      await atMost(closeMs, ended);
      await scratch.close();
      await Promise.all([...folders.values()].map((folder) => folder.sweep()));
    },
  };
}

function readinessOf(interpreter: string): Readiness {
  if (interpreter !== '') return { state: 'ready' };
  const reason = 'This system has neither /bin/bash nor /bin/sh.';
  return {
    state: 'unavailable',
    reason,
    suggestion: 'Run the gate in WSL or on Linux or macOS to use Bash.',
  };
}

function findInterpreter(): string {
  if (process.platform === 'win32') return '';
  return ['/bin/bash', '/bin/sh'].find((path) => existsSync(path)) ?? '';
}

function folderOf(
  folders: ReadonlyMap<string, SpoolFolder>,
  cwd: string,
): readonly [root: string, folder: SpoolFolder] {
  const found = [...folders].find(([root]) => isInside(cwd, root));
  // `cwd` was found to lie in a root.
  if (found === undefined) throw new Error(`${cwd} is in no root`);
  return found;
}

function check(command: string): void {
  if (command.includes('\0')) {
    throw new ToolFailure('unsupported', 'A command cannot hold a NUL character; leave it out.', {
      reason: 'nul_in_command',
    });
  }
  if (Buffer.byteLength(command) > maxCommandBytes) {
    throw new ToolFailure(
      'unsupported',
      `A command has at most ${maxCommandBytes} bytes; write a script and run it.`,
      {
        reason: 'command_too_long',
        suggestion: 'Write the script to a file with Write, then run that file.',
      },
    );
  }
}

function notStarted(error: unknown): never {
  const words = error instanceof Error ? error.message : String(error);
  throw new ToolFailure('failed', `The command could not be started: ${words}`, { reason: 'not_started' });
}

function closing(): ToolFailure {
  return new ToolFailure('bad_state', 'The gate is closing; nothing is started any more.', {
    reason: 'closing',
  });
}

function tooMany(): ToolFailure {
  return new ToolFailure('bad_state', `${maxRunning} commands run already; try again when one has ended.`, {
    reason: 'too_many_commands',
    retryable: true,
  });
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function atMost(ms: number, work: Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}

/** Whoever puts a link in the place of a root would lead every command elsewhere. */
function refuseMovedRoots(roots: readonly string[]): void {
  const moved = roots.find((root) => realOf(root) !== root || !existsSync(root));
  if (moved === undefined) return;
  throw new ToolFailure('refused', `The workspace root ${moved} is not the folder that it was.`, {
    reason: 'root_gone',
    suggestion: 'Ask the operator to look at the workspace and to start the gate again.',
  });
}

/** The state says what is trusted. In a folder that commands may write, one could put another state in its place. */
function refuseStateInside(roots: readonly string[], stateDir: string): void {
  const state = realOf(stateDir);
  const root = roots.find((one) => isInside(state, one));
  if (root === undefined) return;
  throw new ToolFailure('refused', `The gate keeps its state inside of the workspace root ${root}.`, {
    reason: 'state_in_workspace',
    suggestion: 'Ask the operator to set TIDEGATE_HOME to a folder outside, or to choose a narrower root.',
  });
}
