import { readableVariables } from '../../workspace/hide-environment.js';
import { nodeFeatures } from './node-features.js';
import type { Check, Finding } from './check.js';
import { missingDefences } from './platform-defences.js';
import type { Scene } from './scene.js';

/** Same as `engines` in package.json; a test compares them. */
export const nodeFloor = '20.19.0';

export const machineChecks: readonly Check[] = [
  {
    id: 'node',
    group: 'machine',
    title: 'Node',
    why: 'Tidegate needs Node 20.19 or newer. Older versions lack features it depends on.',
    remedy: 'Install a newer Node and start Tidegate with it.',
    run: () => [nodeFinding(process.versions.node)],
  },
  {
    id: 'platform',
    group: 'machine',
    title: 'Platform',
    why: 'Some protections need features that only Linux has. On other platforms they are weaker or missing.',
    remedy:
      'Check which protections are missing. If you need them, run Tidegate on Linux or in a Linux container.',
    run: () => [platformFinding(process.platform, process.arch)],
  },
  {
    id: 'clock',
    group: 'machine',
    title: 'Clock',
    why: 'Grants and tokens expire by the system clock. If it is wrong, they expire too early or too late.',
    remedy: 'Set the system clock, or enable time synchronization (NTP).',
    run: (scene) => [clockFinding(scene, Date.now())],
  },
  {
    id: 'environment',
    group: 'machine',
    title: 'Environment',
    why: 'On Linux, every process of the same user can read the environment another process was started with. Tidegate erases its own, so that servers and plugins cannot find keys there.',
    remedy:
      'Run Tidegate where a process can write to its own memory (/proc/self/mem), or start it without keys in its environment.',
    run: () => (process.platform === 'linux' ? [environmentFinding(readableVariables)] : []),
  },
];

export function nodeFinding(version: string): Finding {
  if (isOlder(version, nodeFloor)) {
    const detail = `${version} is too old: Tidegate needs ${nodeFloor} or newer`;
    return { state: 'fail', detail, next: 'install Node 22 or newer: https://nodejs.org' };
  }
  const { present, absent } = nodeFeatures();
  const has = present.length === 0 ? '' : `, has ${present.join(' and ')}`;
  const facts = { version, floor: nodeFloor, present, absent };
  return { state: 'ok', detail: `${version}${has}`, facts };
}

export function isOlder(version: string, floor: string): boolean {
  const [left, right] = [version, floor].map((text) =>
    text.split('.').map((part) => Number.parseInt(part, 10)),
  );
  for (const [at, wanted] of (right ?? []).entries()) {
    const own = left?.[at] ?? 0;
    if (own !== wanted) return own < wanted;
  }
  return false;
}

export function platformFinding(platform: NodeJS.Platform, arch: string): Finding {
  const missing = missingDefences(platform);
  const name = `${platform} ${arch}`;
  if (missing === undefined)
    return { state: 'warn', detail: `${name} is untested`, next: 'see docs/security.md, Platforms' };
  if (missing.length === 0) return { state: 'ok', detail: `${name}: all protections available` };
  const detail = `${name}: ${String(missing.length)} protections are weaker than on Linux`;
  return {
    state: 'note',
    detail,
    more: missing,
    facts: { missing },
    next: 'see docs/security.md, Platforms',
  };
}

export function environmentFinding(read: () => readonly string[]): Finding {
  let names: readonly string[];
  try {
    names = read();
  } catch (error) {
    return { state: 'note', detail: `could not be checked: ${String(error)}` };
  }
  if (names.length === 0) return { state: 'ok', detail: 'servers and plugins cannot read it through /proc' };
  const detail = `servers and plugins can read ${String(names.length)} of Tidegate’s environment variables in /proc`;
  const next = 'start Tidegate without keys in its environment; see docs/security.md, Plugins';
  return { state: 'warn', detail, more: names, facts: { names }, next };
}

/** An earlier time is certainly wrong: this version did not exist then. */
const earliest = Date.UTC(2026, 0, 1);
const toleratedMs = 2 * 60_000;

/** Finds contradictions on this machine only; no time server is asked. */
export function clockFinding(scene: Pick<Scene, 'view'>, now: number): Finding {
  const at = new Date(now).toISOString().slice(0, 19);
  const next = 'set the clock: timedatectl set-ntp true';
  if (now < earliest) return { state: 'fail', detail: `the clock says ${at}, which is in the past`, next };
  const ahead = scene.view().entries.filter(({ stats }) => stats.mtimeMs > now + toleratedMs);
  const [first] = ahead;
  if (first === undefined) return { state: 'ok', detail: `${at} UTC` };
  const by = Math.round((first.stats.mtimeMs - now) / 60_000);
  const detail = `the clock was set back: ${first.path} is dated ${String(by)} minutes ahead`;
  return { state: 'warn', detail, next, facts: { files: ahead.slice(0, 20).map(({ path }) => path) } };
}
