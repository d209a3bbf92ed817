import { lstatSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../../lib/list-folder.js';
import { isRunning } from '../../lib/is-running.js';
import { sweepLeftovers } from '../../workspace/late-processes.js';
import { sweepSockets } from '../../workspace/plugins/late-plugins.js';
import { foldersOfDead } from '../../services/shell/index.js';
import { sweepCommands, sweepFiles } from '../../workspace/port-services.js';
import { openBackups, withBackupsLock } from '../../workspace/client-files/backups.js';
import { runningFile } from '../../workspace/serving.js';
import { socketHome } from '../../workspace/socket-home.js';
import type { Check, Finding } from './check.js';
import { isPipesFolder } from './own-entries.js';
import type { Scene } from './scene.js';

/** Leftovers of processes that have ended; file names contain the process id. */
interface Leftovers {
  readonly leases: number;
  readonly sockets: number;
  readonly drafts: number;
  /** Incomplete backups of client files. */
  readonly backups: number;
  /** The record of a `serve` process that has ended. */
  readonly serve: boolean;
  readonly pipes: readonly string[];
  /** Empty workspace folders and cgroups that belonged to commands of a dead gateway. */
  readonly folders: readonly string[];
}

export const leftoverCheck: Check = {
  id: 'home.leftovers',
  group: 'home',
  title: 'Leftovers',
  why: 'When Tidegate is killed, it leaves leases, sockets, drafts, empty folders or incomplete backups behind. Tidegate removes them at its next start. Many leftovers mean that something crashes repeatedly.',
  remedy:
    'No action is needed: Tidegate removes them at its next start, and the next import removes incomplete backups. If they keep coming back, check the log.',
  fixes:
    'stops processes that a killed Tidegate left running; removes its leases, sockets, drafts, records, empty folders and incomplete backups',
  run: (scene) => [leftoverFinding(scene)],
};

function leftoverFinding(scene: Scene): Finding {
  if (scene.obstacle() !== undefined)
    return { state: 'skipped', detail: 'the state directory cannot be read' };
  const left = leftoversOf(scene.home);
  const words = describeLeftovers(left);
  if (words.length === 0) return { state: 'ok', detail: 'none' };
  const does = 'remove leftovers';
  const run = async (): Promise<string> => {
    await sweep(scene.home, left);
    return `removed ${words.join(', ')}`;
  };
  const next = 'tidegate doctor --fix';
  return { state: 'note', detail: words.join(', '), facts: { ...left }, next, fix: { does, run } };
}

function leftoversOf(home: string): Leftovers {
  return {
    leases: deadIn(join(home, 'leases'), /^(\d+)-/),
    sockets: deadIn(socketHome(home), /^(\d+)-/),
    drafts: deadIn(join(home, 'drafts'), /^(\d+)\./),
    backups: openBackups(home).orphans().length,
    serve: isStale(runningFile(home)),
    pipes: namesIn(home).filter((name) => isPipesFolder(name) && isLeft(join(home, name))),
    folders: foldersOfDead(home),
  };
}

function describeLeftovers({
  leases,
  sockets,
  drafts,
  backups,
  serve,
  pipes,
  folders,
}: Leftovers): readonly string[] {
  const counted = (count: number, one: string, many: string): readonly string[] =>
    count === 0 ? [] : [`${String(count)} ${count === 1 ? one : many}`];
  return [
    ...counted(leases, 'lease of a process that has exited', 'leases of processes that have exited'),
    ...counted(sockets, 'socket folder', 'socket folders'),
    ...counted(drafts, 'draft', 'drafts'),
    ...counted(backups, 'incomplete backup', 'incomplete backups'),
    ...(serve ? ['the record of a `serve` process that has exited'] : []),
    ...counted(pipes.length, 'pipe folder', 'pipe folders'),
    ...(folders.length === 0 ? [] : [`empty folders left by a killed command: ${folders.join(', ')}`]),
  ];
}

/** Each cleanup checks again which processes have ended, and leaves everything else alone. */
async function sweep(home: string, { backups, serve, pipes }: Leftovers): Promise<void> {
  await sweepLeftovers(home);
  await sweepSockets(home);
  await sweepFiles(home, () => undefined);
  await sweepCommands(home, () => undefined);
  if (backups > 0) withBackupsLock(home, () => openBackups(home).sweep());
  if (serve && isStale(runningFile(home))) rmSync(runningFile(home), { force: true });
  for (const name of pipes) if (isLeft(join(home, name))) removePipes(join(home, name));
}

function deadIn(folder: string, numbered: RegExp): number {
  const numbers = namesIn(folder).flatMap((name) => numbered.exec(name)?.[1] ?? []);
  return numbers.filter((pid) => !isRunning(Number(pid))).length;
}

/** A file with other content was not written by Tidegate, whatever its name. */
function isStale(file: string): boolean {
  try {
    const { pid, url } = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, unknown>>;
    const isRecord =
      typeof url === 'string' && typeof pid === 'number' && Number.isSafeInteger(pid) && pid > 0;
    return isRecord && !isRunning(pid);
  } catch {
    return false;
  }
}

/** Such a folder normally exists only for a moment. */
const momentMs = 60_000;

/** A folder of this user that contains only pipes with numeric names. */
function isLeft(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  const isOwn = stats?.isDirectory() === true && stats.uid === (process.getuid?.() ?? stats.uid);
  if (!isOwn || Date.now() - stats.mtimeMs <= momentMs) return false;
  return namesIn(path).every(
    (name) =>
      /^\d+$/.test(name) && lstatSync(join(path, name), { throwIfNoEntry: false })?.isFIFO() !== false,
  );
}

/** Not recursive: anything added since is not ours to delete. */
function removePipes(folder: string): void {
  for (const name of namesIn(folder)) rmSync(join(folder, name), { force: true });
  rmdirSync(folder);
}
