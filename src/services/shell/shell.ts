import { existsSync } from 'node:fs';
import type { Exchange } from '../../kernel/exchange.js';
import type { PortService, Readiness } from '../../kernel/ports.js';
import type { Processes } from '../../kernel/process.js';
import type { Shell, ShellCommand, ShellTampering } from '../../kernel/shell-port.js';
import { openBackground } from './background.js';
import { findBubblewrap } from './bubblewrap.js';
import { type CommandParts, type CommandRun, startCommand } from './command-run.js';
import { createEndedSessions } from './ended-sessions.js';
import { attend, isNotSetUp } from './foreground.js';
import { createLinkReader } from './git-links.js';
import { isInside, pathForCallers, resolveDirectory } from './inside.js';
import { findNestedTrees } from './nested-trees.js';
import { createPlaceholders } from './placeholders.js';
import {
  closing,
  maxRunning,
  notStarted,
  realOf,
  refuseMovedRoots,
  refuseOdd,
  refuseStateInside,
  sessionOver,
  tooMany,
} from './refusals.js';
import { createSandboxChoice } from './sandbox-choice.js';
import { openScratch } from './scratch.js';
import { createSpoolFolder, type SpoolFolder } from './spool-folder.js';

interface ShellParts {
  readonly roots: readonly string[];
  readonly stateDir: string;
  readonly processes: Processes;
  /** What the operator lets commands know. Nothing else of the gate's environment reaches them. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What no command may change in a root, absolute or relative to it; see `PlaceParts`. */
  readonly protectedPaths: (root: string) => readonly string[];
  readonly log?: (line: string) => void;
  /** Milliseconds, from any moment on. */
  readonly now?: () => number;
}

const usualTimeoutMs = 120_000;
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
  /** With the session of each. */
  const running = new Map<CommandRun, string>();
  const over = createEndedSessions();
  const path = parts.env['PATH'] ?? '/usr/bin:/bin';
  const now = parts.now ?? (() => performance.now());
  const chooseSandbox = createSandboxChoice(
    () => findBubblewrap({ roots, processes: parts.processes, path, log }),
    now,
  );
  const readLinks = createLinkReader();
  let nestedTrees: readonly string[] | undefined;
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
    const bubblewrap = await chooseSandbox();
    nestedTrees ??= roots.flatMap(findNestedTrees);
    const { processes, env, protectedPaths, stateDir } = parts;
    const places = { roots, protectedPaths, nestedTrees, readLinks };
    const temporary = scratch.temporaryOf(sessionId);
    const held = () => [...running.keys()].map(({ points }) => points);
    const mounts = { roots, placeholders, temporary, stateDir, held };
    const [root, folder] = folderOf(folders, cwd);
    const pathFor = (file: string) => pathForCallers(file, roots);
    return { processes, env, interpreter, bubblewrap, mounts, places, folder, root, pathFor };
  };
  const begin = async (sessionId: string, order: ShellCommand, isBackground: boolean) => {
    refuseOdd(order.command);
    const refuseEnded = () => {
      if (isClosed()) throw closing();
      if (over.has(sessionId)) throw sessionOver();
    };
    refuseEnded();
    if (running.size + starting >= maxRunning) throw tooMany();
    starting += 1;
    try {
      refuseMovedRoots(roots);
      refuseStateInside(roots, parts.stateDir);
      const cwd = await resolveDirectory(order.cwd, roots);
      const prepared = await prepare(sessionId, cwd);
      // One after the other, so that each start knows what the commands before it hold.
      const run = await inTurn(async () => {
        refuseEnded();
        const started = await startCommand(prepared, { command: order.command, cwd, isBackground }).catch(
          notStarted,
        );
        running.set(started, sessionId);
        // Ended while the command was about to start: nobody else would end it.
        if (isClosed() || over.has(sessionId)) started.end();
        return started;
      });
      void run.ended.then((end) => {
        running.delete(run);
        for (const line of warningsOf(end)) log(line);
      });
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
    async forget({ id }) {
      over.add(id);
      const own = [...running].filter(([, sessionId]) => sessionId === id).map(([run]) => run);
      for (const run of own) run.end();
      await Promise.all([background.forget(id), ...own.map((run) => run.ended)]);
      await scratch.forget(id);
    },
    async close() {
      hasClosed = true;
      for (const run of running.keys()) run.end();
      // The one that is about to start is ended as soon as it is there.
      const ended = last.then(() =>
        Promise.all([background.close(), ...[...running.keys()].map((run) => run.ended)]),
      );
      await atMost(closeMs, ended);
      await scratch.close();
      await Promise.all([...folders.values()].map((folder) => folder.sweep()));
    },
  };
}

/** The agent is asked to tell the operator; this does not depend on it. */
function warningsOf({ createdPaths, changedPaths, undonePaths }: ShellTampering): readonly string[] {
  const warn = (what: string, paths: readonly string[]) =>
    paths.length === 0 ? [] : [`While a command of Bash ran, ${what}: ${paths.join(', ')}`];
  return [
    ...warn('these came to be, were removed again, and the command was ended', undonePaths),
    ...warn('these protected files came to be', createdPaths),
    ...warn('these protected files were changed or removed', changedPaths),
  ];
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

function atMost(ms: number, work: Promise<unknown>): Promise<unknown> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
