import { existsSync } from 'node:fs';
import { type Exchange, type Session, shareOwner } from '../../core/index.js';
import { noOwnPaths, type OwnPaths, type OwnView } from '../../ports/own-paths.js';
import type { PortService, Readiness } from '../../ports/tool-ports.js';
import type { Processes } from '../../ports/processes.js';
import { createShares } from '../../lib/shares.js';
import type {
  Shell,
  ShellCommand,
  ShellTampering,
  ShellWritable,
  StreamedCommand,
} from '../../ports/shell.js';
import { openBackground } from './background.js';
import { findBubblewrap } from './bubblewrap.js';
import { createCgroups } from './cgroup.js';
import { type CommandParts, type CommandRun, startCommand } from './command-run.js';
import { createEndedSessions } from './ended-sessions.js';
import { attend, attendStream, isNotSetUp } from './foreground.js';
import { locksOf } from './ground.js';
import { createLinkReader } from './git-links.js';
import { globalGitConfigs } from './git-runs.js';
import { isInside, pathForCallers, resolveDirectory } from './inside.js';
import { createFileLimits } from './file-limit.js';
import { createKnownNames } from './known-names.js';
import { openLimitWatch } from './limit-watch.js';
import { type ShellLimits, usualLimits } from './limits.js';
import { createMadePlaces } from './made-places.js';
import { createPlaceholders } from './placeholders.js';
import {
  closing,
  maxRunning,
  notStarted,
  realOf,
  refuseExposed,
  refuseMovedRoots,
  refuseOdd,
  reservedRunning,
  sessionOver,
  tooMany,
} from './refusals.js';
import { createSandboxChoice } from './sandbox-choice.js';
import { findPlaces, type PlaceParts } from './protected-places.js';
import { findWritable, type WritableFolders } from './writable.js';
import { openScratch } from './scratch.js';
import { createSpoolFolders, type SpoolFolders } from './spool-folder.js';
import { createCheckRecords, finishChecks } from './unfinished-checks.js';
import { createPace } from './watch-pace.js';
import { createWorkspaceScan } from './workspace-scan.js';

interface ShellParts {
  readonly roots: readonly string[];
  readonly stateDir: string;
  readonly processes: Processes;
  /** The variables that the operator passes to commands. They inherit nothing else from the gateway. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What no command may change in a root, absolute or relative to it; see `PlaceParts`. */
  readonly protectedPaths: (root: string) => readonly string[];
  /** Configuration that git reads in every repository. Default: the usual paths. */
  readonly globalConfigs?: readonly string[];
  /** Tidegate's own paths. Default: none. */
  readonly own?: OwnPaths;
  readonly limits?: ShellLimits;
  /** Sandboxed commands may use Unix sockets, including those of the host. */
  readonly hasUnixSockets?: boolean;
  /** `off`: no command runs in a sandbox, even if one works. */
  readonly sandbox?: 'auto' | 'off';
  /** Folders outside the roots that sandboxed commands may write to. */
  readonly writable?: readonly string[];
  readonly whyNotWritable?: (path: string) => string | undefined;
  /** Sandboxed commands use the host's network. Default: true. */
  readonly hasNetwork?: boolean;
  readonly log?: (line: string) => void;
  /** Milliseconds since any fixed moment. */
  readonly now?: () => number;
}

const usualTimeoutMs = 120_000;
const closeMs = 3000;
/** Each takes three mounts or more, and bubblewrap slows down with each one: 128 of them take two seconds. */
const maxNestedPlaces = 48;
const maxNestedTrees = 32;

/** Runs commands in the workspace, in a sandbox if one works, and ends them with all their processes. */
export function openShell(parts: ShellParts): PortService<Shell> {
  const { log = () => {}, own = noOwnPaths } = parts;
  const roots = parts.roots.map(realOf);
  const interpreter = findInterpreter();
  const scratch = openScratch(parts.stateDir);
  const placeholders = createPlaceholders(scratch.recordFile);
  const openCgroup = createCgroups(placeholders, scratch.owner);
  const spoolFolders = new Map(roots.map((root) => [root, createSpoolFolders(root, log)]));
  const background = openBackground();
  /** Each with its session. */
  const running = new Map<CommandRun, string>();
  const over = createEndedSessions();
  const path = parts.env['PATH'] ?? '/usr/bin:/bin';
  const now = parts.now ?? (() => performance.now());
  const chooseSandbox = createSandboxChoice(
    () => findBubblewrap({ roots, processes: parts.processes, path, log, stateDir: parts.stateDir }),
    now,
  );
  const limits = parts.limits ?? usualLimits;
  const limitWatch = openLimitWatch(log);
  const nextFileLimit = createFileLimits();
  const readLinks = createLinkReader();
  const pace = createPace(now);
  const overlapping = new Set<ReadonlySet<string>>();
  const scan = createWorkspaceScan(roots, parts.protectedPaths);
  const names = createKnownNames(log);
  const madePlaces = createMadePlaces(parts.stateDir);
  const tellPartial = once(() => log(tooMuchToCompare));
  const recordCheck = createCheckRecords(parts.stateDir, scratch.owner);
  const { globalConfigs = globalGitConfigs({}) } = parts;
  const findOlder = async () => {
    for (const path of await finishChecks(parts.stateDir)) log(undoneLate(path));
    const { trees, places } = await scan();
    return {
      nestedTrees: madePlaces.sort(trees).slice(0, maxNestedTrees),
      nestedPlaces: madePlaces.sort(places).slice(0, maxNestedPlaces),
    };
  };
  /** Determined once, so that commands can't push the operator's files out of the list. */
  let older: ReturnType<typeof findOlder> | undefined;
  const findOlderOnce = () => {
    older ??= findOlder().catch((error: unknown) => {
      older = undefined;
      throw error;
    });
    return older;
  };
  let hasClosed = false;
  const isClosed = () => hasClosed;
  /** Sessions of commands that are about to start. */
  const preparing: string[] = [];
  const shares = createShares(maxRunning, reservedRunning);
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(start: () => Promise<T>): Promise<T> => {
    const turn = last.then(start, start);
    last = turn.catch(() => undefined);
    return turn;
  };

  const { writable: named = [], whyNotWritable = () => undefined } = parts;
  const writableNow = (places: PlaceParts): WritableFolders =>
    named.length === 0
      ? noneWritable
      : findWritable({ paths: named, whyNot: whyNotWritable, grounds: findPlaces(places).grounds });

  const prepare = async (session: Session, cwd: string): Promise<CommandParts> => {
    const { id: sessionId } = session;
    const view: OwnView = own.viewOf(session);
    const bubblewrap = parts.sandbox === 'off' ? undefined : await chooseSandbox();
    refuseExposed(view.whyNotRun(bubblewrap !== undefined));
    const { processes, env, protectedPaths } = parts;
    const places = { roots, protectedPaths, ...(await findOlderOnce()), readLinks, globalConfigs };
    const isBusy = (id: string) => [...preparing, ...running.values()].includes(id);
    const temporary = scratch.temporaryOf(sessionId, isBusy);
    if (temporary === undefined) throw tooMany('full');
    const held = () => [...running.keys()].map(({ points }) => points);
    const { outputName, masks } = view;
    const added = bubblewrap === undefined ? noneWritable : writableNow(places);
    const writable = added.inForce;
    const mounts = { roots, placeholders, temporary, own: masks, names, outputName, held, writable };
    const [root, folders] = foldersOf(spoolFolders, cwd);
    const folder = folders.of(outputName);
    const pathFor = (file: string) => pathForCallers(file, roots);
    const callFilter = scratch.callFilter(parts.hasUnixSockets === true);
    const confined = {
      limits,
      fileLimit: nextFileLimit(limits.openFiles),
      callFilter,
      openCgroup,
      limitWatch,
      hasNetwork: parts.hasNetwork !== false,
      reach: reachOf(added),
      foldersFile: scratch.recordFile,
      pace,
      scan,
      recordCheck,
      overlapping,
      onMade: (paths: readonly string[]) => madePlaces.add(paths),
      sortMade: (paths: readonly string[]) => madePlaces.sort(paths),
      onPartial: tellPartial,
      locksNow: () => locksOf(own.viewOf(session).masks),
      writable: named.map(realOf),
    };
    return { processes, env, interpreter, bubblewrap, mounts, places, folder, root, pathFor, ...confined };
  };
  const begin = async (session: Session, order: BegunCommand, isBackground: boolean) => {
    const { id: sessionId } = session;
    refuseOdd(order.command);
    const refuseEnded = () => {
      if (isClosed()) throw closing();
      if (over.has(sessionId)) throw sessionOver();
    };
    refuseEnded();
    const giveBack = shares.take(shareOwner(session));
    if (typeof giveBack === 'string') throw tooMany(giveBack);
    try {
      refuseMovedRoots(roots);
      const cwd = await resolveDirectory(order.cwd, roots);
      preparing.push(sessionId);
      const prepared = await prepare(session, cwd);
      // One at a time, so that each start knows what earlier commands hold.
      const run = await inTurn(async () => {
        refuseEnded();
        const started = await startCommand(prepared, { ...order, cwd, isBackground }).catch(notStarted);
        running.set(started, sessionId);
        // The session or the gateway ended during the start, and no other code would end this command.
        if (isClosed() || over.has(sessionId)) started.end();
        return started;
      });
      void run.ended.then((end) => {
        running.delete(run);
        giveBack();
        for (const line of warningsOf(end)) log(line);
      });
      return run;
    } catch (error) {
      giveBack();
      throw error;
    } finally {
      const at = preparing.indexOf(sessionId);
      if (at !== -1) preparing.splice(at, 1);
    }
  };
  const serve = (session: Session, sessionId = session.id): Shell => ({
    roots,
    run: async (order: ShellCommand, exchange: Exchange) => {
      const timeoutMs = order.timeoutMs ?? usualTimeoutMs;
      return twice(async () => attend(await begin(session, order, false), timeoutMs, exchange));
    },
    stream: (order) => twice(async () => attendStream(await begin(session, order, false), order.signal)),
    start: async (order: ShellCommand) => {
      const giveBack = background.reserve(sessionId, shareOwner(session));
      try {
        const run = await twice(() => begin(session, order, true));
        void run.ended.then(giveBack);
        const id = background.add(sessionId, order.command, run);
        return { id, sandbox: run.sandbox, ...run.reach, cwd: run.cwd };
      } catch (error) {
        giveBack();
        throw error;
      }
    },
    poll: (id, filter) => background.poll(sessionId, id, filter),
    stop: (id) => background.stop(sessionId, id),
  });

  return {
    readiness: () => readinessOf(interpreter),
    serve: (session) => serve(session),
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
      // A command that is about to start ends right after its start.
      const ended = last.then(() =>
        Promise.all([background.close(), ...[...running.keys()].map((run) => run.ended)]),
      );
      await atMost(closeMs, ended);
      await limitWatch.close();
      await scratch.close();
      await Promise.all([...spoolFolders.values()].map((folder) => folder.sweep()));
    },
  };
}

const tooMuchToCompare =
  'Protected places of the workspace (settings of agents and editors, hooks) hold more than 5,000 files or 20,000 files and folders. Changes of Bash commands beyond that are not reported.';

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

type BegunCommand = ShellCommand & Pick<Partial<StreamedCommand>, 'env' | 'interpreter' | 'onOutput'>;

/** Retries once: another gateway may have removed its placeholders just before they were mounted. */
async function twice<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await attempt();
  } catch (error) {
    if (isNotSetUp(error)) return attempt();
    throw error;
  }
}

const noneWritable: WritableFolders = { inForce: [], refused: [] };

function reachOf({ inForce, refused }: WritableFolders): ShellWritable {
  return {
    ...(inForce.length > 0 && { writable: inForce }),
    ...(refused.length > 0 && { notWritable: refused }),
  };
}

/** The log does not depend on the agent, which is only asked to tell the operator. */
function warningsOf({ createdPaths, changedPaths, undonePaths }: ShellTampering): readonly string[] {
  const warn = (what: string, paths: readonly string[]) =>
    paths.length === 0 ? [] : [`While a command of Bash ran, ${what}: ${paths.join(', ')}`];
  return [
    ...warn('files that can make git run commands were moved aside as NAME.undone-1', undonePaths),
    ...warn('these protected files were created', createdPaths),
    ...warn('these protected files were changed or removed', changedPaths),
  ];
}

export function undoneLate(path: string): string {
  return `A gateway was killed while a command of Bash ran. What the command left for git to run was moved aside: ${path}`;
}

function readinessOf(interpreter: string): Readiness {
  if (interpreter !== '') return { state: 'ready' };
  const reason = 'This system has neither /bin/bash nor /bin/sh.';
  return {
    state: 'unavailable',
    reason,
    suggestion: 'Run Tidegate in WSL or on Linux or macOS to use Bash.',
  };
}

function findInterpreter(): string {
  if (process.platform === 'win32') return '';
  return ['/bin/bash', '/bin/sh'].find((path) => existsSync(path)) ?? '';
}

function foldersOf(
  folders: ReadonlyMap<string, SpoolFolders>,
  cwd: string,
): readonly [root: string, folders: SpoolFolders] {
  const found = [...folders].find(([root]) => isInside(cwd, root));
  // `resolveDirectory` has checked that `cwd` is in a root.
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
