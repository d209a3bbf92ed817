import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { count } from '../support/counts.js';
import {
  type BusyGate,
  findReaper,
  type Mode,
  openBusyGate,
  openExitPlace,
  runningServers,
  serverNames,
  stateFiles,
} from '../support/exiting-gate.js';
import { waitFor } from '../support/gate.js';
import { describeProcess, findMarked, hasProc } from '../support/proc.js';
import { createRandom } from '../support/random.js';

const rounds = count(100);
const lanes = 5;
const limitMs = 5000;
const random = createRandom();
type ExitPlace = ReturnType<typeof openExitPlace>;
type Way = 'EOF' | 'SIGINT' | 'SIGTERM' | 'SIGKILL';
const kinds = [
  ['mcp', 'EOF'],
  ['mcp', 'SIGINT'],
  ['mcp', 'SIGTERM'],
  ['mcp', 'SIGKILL'],
  ['serve', 'SIGINT'],
  ['serve', 'SIGTERM'],
  ['serve', 'SIGKILL'],
] as const;

/** One end of a gate: what ran then, how long the gate took, and how long all that it had started. */
interface Ended {
  readonly running: number;
  readonly gateMs: number;
  readonly allMs: number;
  readonly left: readonly string[];
  readonly files: readonly string[];
}

describe.skipIf(!hasProc)('the exit of a gateway with five servers (skipped: no /proc)', () => {
  const places: ExitPlace[] = [];
  beforeAll(() => {
    while (places.length < lanes) places.push(openExitPlace());
  });
  afterAll(() => {
    for (const place of places) {
      endAll(place.mark);
      place.close();
    }
  });

  it.each(kinds)('of %s by %s leaves no process and no stray file', async (mode, way) => {
    const all: Ended[] = [];
    let next = 0;
    await Promise.all(
      places.map(async (place) => {
        while (next < rounds) {
          const round = next;
          next += 1;
          // Three in ten end at any moment of their start, the others while all five servers work.
          all.push(await endOnce(place, mode, way, round % 10 < 3 ? 'starting' : 'busy'));
        }
      }),
    );
    report(`${mode} ${way}`, all);
    expect(all).toHaveLength(rounds);
    expect(all.flatMap(({ left }) => left)).toEqual([]);
    expect(all.flatMap(({ files }) => files)).toEqual([]);
    // Not only gates that had hardly begun.
    const whole = all.filter(({ running }) => running === serverNames.length).length;
    expect(whole).toBeGreaterThanOrEqual(Math.floor(rounds / 2));
  });

  it('control: without the reaper they survive until the next gateway starts', async () => {
    const place = firstOf(places);
    const gate = openBusyGate(place, 'mcp');
    expect(await gate.busy, gate.stderr()).toBe(true);
    // A frozen gate cannot start another reaper.
    gate.child.kill('SIGSTOP');
    process.kill(reaperOf(place), 'SIGKILL');
    gate.child.kill('SIGKILL');
    await gate.ended;
    await pause(limitMs);
    const left = findMarked(place.mark);
    console.log(`control: ${String(left.length)} processes left: ${runningServers(place.mark).join(' ')}`);
    expect(runningServers(place.mark)).toEqual(expect.arrayContaining(['stubborn', 'deaf']));
    expect(leasesIn(place)).toHaveLength(1);

    const next = openBusyGate(place, 'mcp');
    const isSwept = () => left.every((pid) => !findMarked(place.mark).includes(pid));
    await waitFor(isSwept, 2 * limitMs, () => `not swept: ${left.map(describeProcess).join('\n')}`);
    expect(await next.busy, next.stderr()).toBe(true);
    // Its own.
    await waitFor(
      () => leasesIn(place).length === 1,
      limitMs,
      () => leasesIn(place).join(' '),
    );
    next.child.stdin.end();
    await next.ended;
    await waitFor(
      () => findMarked(place.mark).length === 0,
      limitMs,
      () => 'the next gate left something',
    );
    expect(leasesIn(place)).toEqual([]);
  });
});

function firstOf([place]: readonly ExitPlace[]): ExitPlace {
  if (place === undefined) throw new Error('no place');
  return place;
}

function leasesIn(place: ExitPlace): readonly string[] {
  return stateFiles(place).filter((file) => file.startsWith('leases/'));
}

async function endOnce(place: ExitPlace, mode: Mode, way: Way, when: 'starting' | 'busy'): Promise<Ended> {
  const gate = openBusyGate(place, mode);
  if (when === 'starting') await pause(random.below(400));
  else {
    expect(await gate.busy, gate.stderr()).toBe(true);
    await pause(random.below(200));
  }
  const running = runningServers(place.mark).length;
  const started = performance.now();
  endGate(gate, way);
  const gateMs = await within(gate.ended, limitMs, started);
  let pids = findMarked(place.mark);
  while (pids.length > 0 && performance.now() - started < limitMs) {
    await pause(250);
    pids = findMarked(place.mark);
  }
  const allMs = performance.now() - started;
  const left = pids.map((pid) => `${way} ${describeProcess(pid)}`);
  endAll(place.mark);
  return { running, gateMs, allMs, left, files: stateFiles(place).filter((file) => !belongs(file, way)) };
}

function endGate({ child }: BusyGate, way: Way): void {
  if (way === 'EOF') child.stdin.end();
  else child.kill(way);
}

/** What a gate keeps on purpose, its records of calls among it; only one that was killed could not take back that it runs. */
function belongs(file: string, way: Way): boolean {
  if (file === 'serve.json') return way === 'SIGKILL';
  return /^(trust\.json|token|known-stores\.json|places\.json|trusted\/[0-9a-f]{64}|names\/[0-9a-f]+\.json|upstreams\/[0-9a-f]{64}\.json|configs\/[0-9a-f]{32}\.json|audit\/\d+-[0-9a-f]{12}\.jsonl)$/.test(
    file,
  );
}

function report(name: string, all: readonly Ended[]): void {
  const spread = (values: readonly number[]): string => {
    const sorted = [...values].sort((a, b) => a - b);
    const at = (share: number): string => (sorted[Math.floor((sorted.length - 1) * share)] ?? 0).toFixed(0);
    return `p50 ${at(0.5)}, p95 ${at(0.95)}, max ${at(1)} ms`;
  };
  const whole = all.filter(({ running }) => running === serverNames.length).length;
  const left = all.reduce((sum, ended) => sum + ended.left.length, 0);
  console.log(
    `${name}: n=${String(all.length)} (all five ran in ${String(whole)}), left ${String(left)}, seed ${String(random.seed)}\n` +
      `  the gate was gone after ${spread(all.map(({ gateMs }) => gateMs))}\n` +
      `  everything was gone after ${spread(all.map(({ allMs }) => allMs))}`,
  );
}

function reaperOf(place: ExitPlace): number {
  const reaper = findReaper(place.mark);
  if (reaper === undefined) throw new Error('no reaper');
  return reaper;
}

/** Only what bears our mark. */
function endAll(mark: string): void {
  for (const pid of findMarked(mark)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Gone by itself.
    }
  }
}

async function within(ended: Promise<unknown>, ms: number, started: number): Promise<number> {
  await Promise.race([ended, pause(ms)]);
  return performance.now() - started;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
