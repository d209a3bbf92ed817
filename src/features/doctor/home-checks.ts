import { chmodSync, mkdirSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { shellWord } from '../../lib/shell-word.js';
import type { Check, Finding } from './check.js';
import type { HomeEntry } from './home-view.js';
import { leftoverCheck } from './leftovers.js';
import { isKnown, isOurs } from './own-entries.js';
import type { Scene } from './scene.js';

export const homeChecks: readonly Check[] = [
  {
    id: 'home',
    group: 'home',
    title: 'State directory',
    why: 'Trust, grants and records are stored here. Anyone who can change this directory decides what Tidegate runs.',
    remedy: 'Make it private (`chmod 700`), or set `TIDEGATE_HOME` to another directory.',
    fixes: 'creates the directory; removes access for other users if it contains only Tidegate’s files',
    run: (scene) => [homeFinding(scene)],
  },
  {
    id: 'home.files',
    group: 'home',
    title: 'State files',
    why: 'Tokens and records must be readable only by you (mode 0600). A pipe or device in place of a file can make Tidegate hang.',
    remedy: 'List the directory and remove anything you did not expect.',
    fixes: 'removes access for other users from Tidegate’s files',
    run: (scene) => fileFindings(scene),
  },
  {
    id: 'home.space',
    group: 'home',
    title: 'Disk space',
    why: 'Without disk space, Tidegate cannot save grants, revocations or records.',
    remedy: 'Free some space, or set `TIDEGATE_HOME` to a directory on another disk.',
    run: (scene) => [spaceFinding(scene)],
  },
  leftoverCheck,
];

function homeFinding(scene: Scene): Finding {
  const { home } = scene;
  const { stats, obstacle, odd, huge, strange } = scene.view();
  const own = process.getuid?.();
  const look = `ls -ld ${shellWord(home)}`;
  if (stats === undefined && obstacle === undefined) {
    const fix = { does: 'create the directory', run: async () => makeHome(home) };
    return { state: 'note', detail: `${home} does not exist yet; it will be created when needed`, fix };
  }
  if (stats === undefined || !stats.isDirectory())
    return { state: 'fail', detail: `${home}: ${obstacle ?? ''}`, next: look };
  if (own !== undefined && stats.uid !== own && stats.uid !== 0)
    return { state: 'fail', detail: `${home} belongs to another user`, next: look };
  // Bad entries are reported by the check of the files.
  if (obstacle !== undefined && odd.length + huge.length === 0)
    return { state: 'fail', detail: `${home}: ${obstacle}`, next: look };
  const facts = { directory: home, mode: modeOf(stats.mode) };
  if (own === undefined || (stats.mode & 0o077) === 0) return { state: 'ok', detail: home, facts };
  const canChange = (stats.mode & 0o022) !== 0;
  const detail = `${home}: other users can ${canChange ? 'change' : 'read'} it (mode ${modeOf(stats.mode)})`;
  const state = canChange ? 'fail' : 'warn';
  if (stats.uid !== own) return { state, detail, facts, next: 'set TIDEGATE_HOME to another directory' };
  const next = `chmod 700 ${shellWord(home)}`;
  // The directory may be shared, so its mode must not be changed.
  if (strange.length > 0) return { state, detail, facts, next, more: [notFixed(strange)] };
  const run = async (): Promise<string> => {
    chmodSync(home, 0o700);
    return `changed the mode of ${home} from ${modeOf(stats.mode)} to 700`;
  };
  return { state, detail, facts, next, fix: { does: 'chmod 700', run } };
}

function notFixed(strange: readonly string[]): string {
  const named = strange.slice(0, mostNamed).join(', ');
  const others = strange.length > mostNamed ? ` and ${String(strange.length - mostNamed)} more` : '';
  return `not changed by --fix: the directory also contains ${named}${others}, which Tidegate did not create, so it may be shared. You can also set TIDEGATE_HOME to another directory.`;
}

function makeHome(home: string): string {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  return `created ${home}`;
}

const mostNamed = 5;

function fileFindings(scene: Scene): readonly Finding[] {
  const { home } = scene;
  const { stats, entries, odd, huge, obstacle } = scene.view();
  if (stats?.isDirectory() !== true)
    return [{ state: 'skipped', detail: 'the state directory does not exist' }];
  if (obstacle !== undefined && odd.length + huge.length === 0) return [{ state: 'fail', detail: obstacle }];
  const strange = [
    ...odd.map((path) => strangeFinding(home, path, 'is a pipe, device, socket or link, not a regular file')),
    ...huge.map((path) => strangeFinding(home, path, 'is far larger than any file Tidegate writes')),
  ];
  const isShared = entries.some(({ path }) => !path.includes('/') && !isKnown(path));
  const loose = entries.filter((entry) => isLoose(entry, isShared));
  if (loose.length > 0) return [...strange, looseFinding(home, loose)];
  if (strange.length > 0) return strange;
  return [{ state: 'ok', detail: `${String(entries.length)} entries, all private` }];
}

function strangeFinding(home: string, path: string, why: string): Finding {
  const word = shellWord(join(home, path));
  return { state: 'fail', detail: `${path} ${why}`, next: `ls -l ${word}; then: rm ${word}` };
}

/** Only entries that Tidegate may change. */
function isLoose({ path, stats }: HomeEntry, isShared: boolean): boolean {
  const own = process.getuid?.();
  if (!isOurs(path, isShared)) return false;
  return own !== undefined && stats.uid === own && !stats.isSymbolicLink() && (stats.mode & 0o077) !== 0;
}

function looseFinding(home: string, loose: readonly HomeEntry[]): Finding {
  const named = loose.slice(0, mostNamed).map(({ path }) => path);
  const others = loose.length > named.length ? ` and ${String(loose.length - named.length)} more` : '';
  const run = async (): Promise<string> => {
    for (const { path, stats } of loose) chmodSync(join(home, path), stats.mode & 0o700);
    return `made ${loose.length === 1 ? '1 file' : `${String(loose.length)} files`} private`;
  };
  return {
    state: 'warn',
    detail: `other users have access to ${named.join(', ')}${others}`,
    next: 'tidegate doctor --fix',
    facts: { files: loose.slice(0, 100).map(({ path, stats }) => ({ path, mode: modeOf(stats.mode) })) },
    fix: { does: 'remove access for other users', run },
  };
}

const scarceBytes = 500 * 1024 * 1024;
const noneBytes = 20 * 1024 * 1024;

function spaceFinding({ home }: Scene): Finding {
  let free: number | undefined;
  for (let folder = home; free === undefined; folder = dirname(folder)) {
    free = freeIn(folder);
    if (dirname(folder) === folder) break;
  }
  if (free === undefined) return { state: 'skipped', detail: 'free space is unknown' };
  const detail = `${inUnits(free)} free`;
  const facts = { free };
  if (free > scarceBytes) return { state: 'ok', detail, facts };
  return { state: free > noneBytes ? 'warn' : 'fail', detail, facts, next: `df -h ${shellWord(home)}` };
}

function freeIn(folder: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    // The folder does not exist yet; the caller tries its parent.
    return undefined;
  }
}

function inUnits(bytes: number): string {
  const gibibyte = 1024 ** 3;
  return bytes >= gibibyte
    ? `${(bytes / gibibyte).toFixed(1)} GiB`
    : `${String(Math.floor(bytes / 1024 ** 2))} MiB`;
}

function modeOf(mode: number): string {
  return (mode & 0o7777).toString(8);
}
