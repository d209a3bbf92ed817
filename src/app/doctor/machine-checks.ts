import { nodeFeatures } from './node-features.js';
import type { Check, Finding } from './check.js';
import { missingDefences } from './platform-defences.js';
import type { Scene } from './scene.js';

/** `engines` in package.json; a test holds them together. */
export const nodeFloor = '20.19.0';

export const machineChecks: readonly Check[] = [
  {
    id: 'node',
    group: 'machine',
    title: 'Node',
    why: 'Tidegate needs Node 20.19 or newer: older versions lack what it is built on.',
    remedy: 'Install a newer Node, and start the gate with that one.',
    run: () => [nodeFinding(process.versions.node)],
  },
  {
    id: 'platform',
    group: 'machine',
    title: 'Platform',
    why: 'Some defences are made of what only Linux has. Elsewhere they are less, or missing.',
    remedy: 'Know what is missing; where it matters, run the gate on Linux or in a Linux container.',
    run: () => [platformFinding(process.platform, process.arch)],
  },
  {
    id: 'clock',
    group: 'machine',
    title: 'Clock',
    why: 'Grants, tokens and records go by the clock: with a wrong one they end too early or too late.',
    remedy: 'Set the clock of the machine, or let it follow a time server.',
    run: (scene) => [clockFinding(scene, Date.now())],
  },
];

export function nodeFinding(version: string): Finding {
  if (isOlder(version, nodeFloor)) {
    const detail = `${version} is too old: ${nodeFloor} is the oldest that works`;
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
    return { state: 'warn', detail: `${name} was never tried`, next: 'read docs/security.md, Platforms' };
  if (missing.length === 0) return { state: 'ok', detail: `${name}: nothing is missing` };
  const detail = `${name}: ${String(missing.length)} defences are less than on Linux`;
  return {
    state: 'note',
    detail,
    more: missing,
    facts: { missing },
    next: 'read docs/security.md, Platforms',
  };
}

/** Before this version of the program was made nobody can have run it. */
const earliest = Date.UTC(2026, 0, 1);
const toleratedMs = 2 * 60_000;

/** The clock of this machine, as far as it contradicts itself. Asks nobody. */
export function clockFinding(scene: Pick<Scene, 'view'>, now: number): Finding {
  const at = new Date(now).toISOString().slice(0, 19);
  const next = 'set the clock: timedatectl set-ntp true';
  if (now < earliest) return { state: 'fail', detail: `it says ${at}, which is over`, next };
  const ahead = scene.view().entries.filter(({ stats }) => stats.mtimeMs > now + toleratedMs);
  const [first] = ahead;
  if (first === undefined) return { state: 'ok', detail: `${at} UTC, and nothing contradicts it` };
  const by = Math.round((first.stats.mtimeMs - now) / 60_000);
  const detail = `it was set back: ${first.path} is from ${String(by)} minutes ahead`;
  return { state: 'warn', detail, next, facts: { files: ahead.slice(0, 20).map(({ path }) => path) } };
}
