import type { Session } from '../../core/index.js';
import { noOwnPaths, type OwnPaths, type OwnView } from '../../ports/own-paths.js';
import type { Processes } from '../../ports/processes.js';
import type { ShellWritable } from '../../ports/shell.js';
import { findBubblewrap } from './bubblewrap.js';
import { createCgroups } from './cgroup.js';
import type { CommandParts, CommandRun } from './command-run.js';
import { createFileLimits } from './file-limit.js';
import { createLinkReader } from './git-links.js';
import { globalGitConfigs } from './git-runs.js';
import { locksOf } from './ground.js';
import { isInside, pathForCallers } from './inside.js';
import { createKnownNames } from './known-names.js';
import type { LimitWatch } from './limit-watch.js';
import { type ShellLimits, usualLimits } from './limits.js';
import { createMadePlaces, type MadePlaces } from './made-places.js';
import { createPlaceholders } from './placeholders.js';
import { findPlaces, type PlaceParts } from './protected-places.js';
import { realOf, refuseExposed, tooMany } from './refusals.js';
import { createSandboxChoice } from './sandbox-choice.js';
import type { Scratch } from './scratch.js';
import type { SpoolFolders } from './spool-folder.js';
import { createCheckRecords, finishChecks } from './unfinished-checks.js';
import { createPace } from './watch-pace.js';
import { createWorkspaceScan } from './workspace-scan.js';
import { findWritable, type WritableFolders } from './writable.js';

export interface ShellParts {
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

/** What the shell owns and commands share. */
export interface PrepareParts extends ShellParts {
  readonly roots: readonly string[];
  readonly interpreter: string;
  readonly scratch: Scratch;
  readonly spoolFolders: ReadonlyMap<string, SpoolFolders>;
  readonly limitWatch: LimitWatch;
  /** Each with its session. */
  readonly running: ReadonlyMap<CommandRun, string>;
  /** Sessions of commands that are about to start. */
  readonly preparing: readonly string[];
  readonly log: (line: string) => void;
}

/** Each takes three mounts or more, and bubblewrap slows down with each one: 128 of them take two seconds. */
const maxNestedPlaces = 48;
const maxNestedTrees = 32;

export type PrepareCommand = (session: Session, cwd: string) => Promise<CommandParts>;

/** Collects what a command needs to start: its sandbox, its mounts, its limits and what it must not change. */
export function createPreparer(parts: PrepareParts): PrepareCommand {
  const { own = noOwnPaths, globalConfigs = globalGitConfigs({}), limits = usualLimits } = parts;
  const { roots, interpreter, scratch, running, preparing, log, stateDir, processes } = parts;
  const { writable: named = [], now = () => performance.now() } = parts;
  const placeholders = createPlaceholders(scratch.recordFile);
  const path = parts.env['PATH'] ?? '/usr/bin:/bin';
  const chooseSandbox = createSandboxChoice(
    () => findBubblewrap({ roots, processes, path, log, stateDir }),
    now,
  );
  const nextFileLimit = createFileLimits();
  const readLinks = createLinkReader();
  const scan = createWorkspaceScan(roots, parts.protectedPaths);
  const names = createKnownNames(log);
  const madePlaces = createMadePlaces(stateDir);
  const findOlder = olderPlacesFinder(stateDir, scan, madePlaces, log);
  const shared = {
    limits,
    openCgroup: createCgroups(placeholders, scratch.owner),
    limitWatch: parts.limitWatch,
    hasNetwork: parts.hasNetwork !== false,
    foldersFile: scratch.recordFile,
    pace: createPace(now),
    scan,
    recordCheck: createCheckRecords(stateDir, scratch.owner),
    overlapping: new Set<ReadonlySet<string>>(),
    onMade: (paths: readonly string[]) => madePlaces.add(paths),
    sortMade: (paths: readonly string[]) => madePlaces.sort(paths),
    onPartial: once(() => log(tooMuchToCompare)),
  };
  const pathFor = (file: string) => pathForCallers(file, roots);
  const isBusy = (id: string) => [...preparing, ...running.values()].includes(id);
  const held = () => [...running.keys()].map(({ points }) => points);

  return async (session, cwd) => {
    const view: OwnView = own.viewOf(session);
    const bubblewrap = parts.sandbox === 'off' ? undefined : await chooseSandbox();
    refuseExposed(view.whyNotRun(bubblewrap !== undefined));
    const { env, protectedPaths } = parts;
    const places = { roots, protectedPaths, ...(await findOlder()), readLinks, globalConfigs };
    const temporary = scratch.temporaryOf(session.id, isBusy);
    if (temporary === undefined) throw tooMany('full');
    const { outputName, masks } = view;
    const added = bubblewrap === undefined ? noneWritable : writableNow(parts, places);
    const writable = added.inForce;
    const mounts = { roots, placeholders, temporary, own: masks, names, outputName, held, writable };
    const [root, folders] = foldersOf(parts.spoolFolders, cwd);
    const folder = folders.of(outputName);
    const confined = {
      ...shared,
      callFilter: scratch.callFilter(parts.hasUnixSockets === true),
      fileLimit: nextFileLimit(limits.openFiles),
      reach: reachOf(added),
      locksNow: () => locksOf(own.viewOf(session).masks),
      writable: named.map(realOf),
    };
    return { processes, env, interpreter, bubblewrap, mounts, places, folder, root, pathFor, ...confined };
  };
}

/** Determined once, so that commands can't push the operator's files out of the list. */
function olderPlacesFinder(
  stateDir: string,
  scan: ReturnType<typeof createWorkspaceScan>,
  madePlaces: MadePlaces,
  log: (line: string) => void,
) {
  const find = async () => {
    for (const path of await finishChecks(stateDir)) log(undoneLate(path));
    const { trees, places } = await scan();
    return {
      nestedTrees: madePlaces.sort(trees).slice(0, maxNestedTrees),
      nestedPlaces: madePlaces.sort(places).slice(0, maxNestedPlaces),
    };
  };
  let older: ReturnType<typeof find> | undefined;
  return () => {
    older ??= find().catch((error: unknown) => {
      older = undefined;
      throw error;
    });
    return older;
  };
}

export function undoneLate(path: string): string {
  return `A gateway was killed while a Bash command ran. A file that the command left for git to run was moved aside: ${path}`;
}

const tooMuchToCompare =
  'The protected places of the workspace (settings of agents and editors, hooks) contain more than 5,000 files or 20,000 files and folders. Changes that Bash commands make beyond this limit are not reported.';

function once(work: () => void): () => void {
  let isDone = false;
  return () => {
    if (!isDone) work();
    isDone = true;
  };
}

function writableNow({ writable = [], whyNotWritable }: ShellParts, places: PlaceParts): WritableFolders {
  if (writable.length === 0) return noneWritable;
  const whyNot = whyNotWritable ?? (() => undefined);
  return findWritable({ paths: writable, whyNot, grounds: findPlaces(places).grounds });
}

const noneWritable: WritableFolders = { inForce: [], refused: [] };

function reachOf({ inForce, refused }: WritableFolders): ShellWritable {
  return {
    ...(inForce.length > 0 && { writable: inForce }),
    ...(refused.length > 0 && { notWritable: refused }),
  };
}

function foldersOf(
  folders: ReadonlyMap<string, SpoolFolders>,
  cwd: string,
): readonly [root: string, folders: SpoolFolders] {
  const found = [...folders].find(([root]) => isInside(cwd, root));
  // `resolveDirectory` has checked that `cwd` is in a root.
  if (found === undefined) throw new Error(`${cwd} is not in a workspace root`);
  return found;
}
