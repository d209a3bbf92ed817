import { lstatSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isRunning } from '../../services/processes/is-running.js';
import { sweepLeftovers } from '../late-processes.js';
import { sweepSockets } from '../late-plugins.js';
import { sweepFiles } from '../port-services.js';
import { runningFile } from '../serving.js';
import { socketHome } from '../socket-home.js';
import type { Check, Finding } from './check.js';
import type { Scene } from './scene.js';

/** What a process that is gone left behind, by the number in its name. */
interface Leftovers {
  readonly leases: number;
  readonly sockets: number;
  readonly drafts: number;
  /** The record of a `serve` that runs no more. */
  readonly serve: boolean;
  readonly pipes: readonly string[];
}

export const leftoverCheck: Check = {
  id: 'home.leftovers',
  group: 'home',
  title: 'Left-overs',
  why: 'A gate that was killed leaves leases, sockets and drafts. The next start sweeps them; many of them mean that something dies again and again.',
  remedy: 'Nothing has to be done: the next gate sweeps them. If they come back, look at the log.',
  fixes: 'ends what dead gates left running; removes their leases, sockets, drafts and records',
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
    serve: isStale(runningFile(home)),
    pipes: namesIn(home).filter((name) => name.startsWith('pipes-') && isOld(join(home, name))),
  };
}

function wordsOf({ leases, sockets, drafts, serve, pipes }: Leftovers): readonly string[] {
  const counted = (count: number, one: string, many: string): readonly string[] =>
    count === 0 ? [] : [`${String(count)} ${count === 1 ? one : many}`];
  return [
    ...counted(leases, 'lease of a dead gate', 'leases of dead gates'),
    ...counted(sockets, 'folder of sockets', 'folders of sockets'),
    ...counted(drafts, 'draft', 'drafts'),
    ...(serve ? ['the record of a `serve` that runs no more'] : []),
    ...counted(pipes.length, 'folder of pipes', 'folders of pipes'),
  ];
}

/** The sweeps judge for themselves what is dead; what they leave lives. */
async function sweep(home: string, { serve, pipes }: Leftovers): Promise<void> {
  await sweepLeftovers(home);
  await sweepSockets(home);
  await sweepFiles(home, () => undefined);
  if (serve && isStale(runningFile(home))) rmSync(runningFile(home), { force: true });
  for (const name of pipes) rmSync(join(home, name), { recursive: true, force: true });
}

function deadIn(folder: string, numbered: RegExp): number {
  const numbers = namesIn(folder).flatMap((name) => numbered.exec(name)?.[1] ?? []);
  return numbers.filter((pid) => !isRunning(Number(pid))).length;
}

function isStale(file: string): boolean {
  try {
    const { pid } = JSON.parse(readFileSync(file, 'utf8')) as { readonly pid?: unknown };
    return typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid <= 0 || !isRunning(pid);
  } catch (error) {
    // One that cannot be understood was left by nobody who lives.
    return !(error instanceof Error && 'code' in error);
  }
}

/** Such a folder lives for a moment only: whoever makes it removes it in the same breath. */
const momentMs = 60_000;

function isOld(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs > momentMs;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
