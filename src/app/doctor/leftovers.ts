import { lstatSync, readdirSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning } from '../../services/processes/is-running.js';
import { sweepLeftovers } from '../late-processes.js';
import { sweepSockets } from '../late-plugins.js';
import { sweepFiles } from '../port-services.js';
import { openBackups, withBackupsLock } from '../import/backups.js';
import { runningFile } from '../serving.js';
import { socketHome } from '../socket-home.js';
import type { Check, Finding } from './check.js';
import { isPipesFolder } from './own-entries.js';
import type { Scene } from './scene.js';

/** What a process that is gone left behind, by the number in its name. */
interface Leftovers {
  readonly leases: number;
  readonly sockets: number;
  readonly drafts: number;
  /** Halves of backups of clients' files. */
  readonly backups: number;
  /** The record of a `serve` that runs no more. */
  readonly serve: boolean;
  readonly pipes: readonly string[];
}

export const leftoverCheck: Check = {
  id: 'home.leftovers',
  group: 'home',
  title: 'Left-overs',
  why: 'A gate that was killed leaves leases, sockets and drafts, a killed import halves of backups. The next gate, or import, sweeps them; many of them mean that something dies again and again.',
  remedy:
    'Nothing has to be done: the next gate sweeps them, and the next import its own. If they come back, look at the log.',
  fixes:
    'ends what dead gates left running; removes their leases, sockets, drafts and records, and halves of backups',
  run: (scene) => [leftoverFinding(scene)],
};

function leftoverFinding(scene: Scene): Finding {
  if (scene.obstacle() !== undefined)
    return { state: 'skipped', detail: 'the state directory cannot be read' };
  const left = leftoversOf(scene.home);
  const words = wordsOf(left);
  if (words.length === 0) return { state: 'ok', detail: 'none' };
  const does = 'sweep them';
  const run = async (): Promise<string> => {
    await sweep(scene.home, left);
    return `swept ${words.join(', ')}`;
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
  };
}

function wordsOf({ leases, sockets, drafts, backups, serve, pipes }: Leftovers): readonly string[] {
  const counted = (count: number, one: string, many: string): readonly string[] =>
    count === 0 ? [] : [`${String(count)} ${count === 1 ? one : many}`];
  return [
    ...counted(leases, 'lease of a dead gate', 'leases of dead gates'),
    ...counted(sockets, 'folder of sockets', 'folders of sockets'),
    ...counted(drafts, 'draft', 'drafts'),
    ...counted(backups, 'half of a backup', 'halves of backups'),
    ...(serve ? ['the record of a `serve` that runs no more'] : []),
    ...counted(pipes.length, 'folder of pipes', 'folders of pipes'),
  ];
}

/** The sweeps judge for themselves what is dead; what they leave lives. */
async function sweep(home: string, { backups, serve, pipes }: Leftovers): Promise<void> {
  await sweepLeftovers(home);
  await sweepSockets(home);
  await sweepFiles(home, () => undefined);
  if (backups > 0) withBackupsLock(home, () => openBackups(home).sweep());
  if (serve && isStale(runningFile(home))) rmSync(runningFile(home), { force: true });
  for (const name of pipes) if (isLeft(join(home, name))) removePipes(join(home, name));
}

function deadIn(folder: string, numbered: RegExp): number {
  const numbers = namesIn(folder).flatMap((name) => numbered.exec(name)?.[1] ?? []);
  return numbers.filter((pid) => !isRunning(Number(pid))).length;
}

/** A file that says something else was written by somebody else, whatever it is called. */
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

/** Such a folder lives for a moment only: whoever makes it removes it in the same breath. */
const momentMs = 60_000;

/** A folder of ours that has nothing but pipes with numbers for names. */
function isLeft(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  const isOwn = stats?.isDirectory() === true && stats.uid === (process.getuid?.() ?? stats.uid);
  if (!isOwn || Date.now() - stats.mtimeMs <= momentMs) return false;
  return namesIn(path).every(
    (name) =>
      /^\d+$/.test(name) && lstatSync(join(path, name), { throwIfNoEntry: false })?.isFIFO() !== false,
  );
}

/** Not with all that is in it: what came since is not ours. */
function removePipes(folder: string): void {
  for (const name of namesIn(folder)) rmSync(join(folder, name), { force: true });
  rmdirSync(folder);
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
