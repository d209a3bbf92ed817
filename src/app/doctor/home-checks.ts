import { chmodSync, mkdirSync, statfsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { shellWord } from '../../access/desk/shell-word.js';
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
    why: 'What is trusted, granted and recorded stands there. Who else can change it decides what your gate starts.',
    remedy: 'Make it yours alone (`chmod 700`), or choose another with `TIDEGATE_HOME`.',
    fixes: 'makes the directory; takes rights of others away, where all that stands in it is Tidegate’s',
    run: (scene) => [homeFinding(scene)],
  },
  {
    id: 'home.files',
    group: 'home',
    title: 'Its files',
    why: 'Tokens and records are for you alone (0600). What is no file there can hold a gate up for ever.',
    remedy: 'Look at what stands there, and remove what you did not expect.',
    fixes: 'takes rights of others away from files of Tidegate',
    run: (scene) => fileFindings(scene),
  },
  {
    id: 'home.space',
    group: 'home',
    title: 'Disk space',
    why: 'Without space nothing can be granted, revoked or recorded.',
    remedy: 'Free some space, or choose another place with `TIDEGATE_HOME`.',
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
    const fix = { does: 'make the directory', run: async () => makeHome(home) };
    return { state: 'note', detail: `${home} is made when it is needed`, fix };
  }
  if (stats === undefined || !stats.isDirectory())
    return { state: 'fail', detail: `${home}: ${obstacle ?? ''}`, next: look };
  if (own !== undefined && stats.uid !== own && stats.uid !== 0)
    return { state: 'fail', detail: `${home} belongs to another user`, next: look };
  // What stands in it is told by its files.
  if (obstacle !== undefined && odd.length + huge.length === 0)
    return { state: 'fail', detail: `${home}: ${obstacle}`, next: look };
  const facts = { directory: home, mode: modeOf(stats.mode) };
  if (own === undefined || (stats.mode & 0o077) === 0) return { state: 'ok', detail: home, facts };
  const canChange = (stats.mode & 0o022) !== 0;
  const detail = `${home}: others can ${canChange ? 'change' : 'read'} it (mode ${modeOf(stats.mode)})`;
  const state = canChange ? 'fail' : 'warn';
  if (stats.uid !== own) return { state, detail, facts, next: 'choose another directory with TIDEGATE_HOME' };
  const next = `chmod 700 ${shellWord(home)}`;
  // A directory that others use too is not ours to close.
  if (strange.length > 0) return { state, detail, facts, next, more: [notMended(strange)] };
  const run = async (): Promise<string> => {
    chmodSync(home, 0o700);
    return `${home}: mode ${modeOf(stats.mode)} is 700 now`;
  };
  return { state, detail, facts, next, fix: { does: 'chmod 700', run } };
}

function notMended(strange: readonly string[]): string {
  const named = strange.slice(0, mostNamed).join(', ');
  const others = strange.length > mostNamed ? ` and ${String(strange.length - mostNamed)} more` : '';
  return `--fix leaves it: ${named}${others} in it is not of Tidegate, so others may use it; or choose another directory with TIDEGATE_HOME`;
}

function makeHome(home: string): string {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  return `made ${home}`;
}

const mostNamed = 5;

function fileFindings(scene: Scene): readonly Finding[] {
  const { home } = scene;
  const { stats, entries, odd, huge, obstacle } = scene.view();
  if (stats?.isDirectory() !== true) return [{ state: 'skipped', detail: 'there is no such directory' }];
  if (obstacle !== undefined && odd.length + huge.length === 0) return [{ state: 'fail', detail: obstacle }];
  const strange = [
    ...odd.map((path) => strangeFinding(home, path, 'is a pipe, device, socket or link, and no file')),
    ...huge.map((path) => strangeFinding(home, path, 'is far larger than anything that Tidegate writes')),
  ];
  const isShared = entries.some(({ path }) => !path.includes('/') && !isKnown(path));
  const loose = entries.filter((entry) => isLoose(entry, isShared));
  if (loose.length > 0) return [...strange, looseFinding(home, loose)];
  if (strange.length > 0) return strange;
  return [{ state: 'ok', detail: `${String(entries.length)} looked at, all for you alone` }];
}

function strangeFinding(home: string, path: string, why: string): Finding {
  const word = shellWord(join(home, path));
  return { state: 'fail', detail: `${path} ${why}`, next: `ls -l ${word}; then: rm ${word}` };
}

/** Only what is ours to change. */
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
    return `${loose.length === 1 ? '1 file is' : `${String(loose.length)} files are`} for you alone now`;
  };
  return {
    state: 'warn',
    detail: `others have rights to ${named.join(', ')}${others}`,
    next: 'tidegate doctor --fix',
    facts: { files: loose.slice(0, 100).map(({ path, stats }) => ({ path, mode: modeOf(stats.mode) })) },
    fix: { does: 'take the rights of others away', run },
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
  if (free === undefined) return { state: 'skipped', detail: 'the system does not say' };
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
    // It does not exist yet: the one above it has the answer.
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
