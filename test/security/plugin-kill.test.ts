// kill -9 of the host: what it started is gone within five seconds, and the next start leaves no socket.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { count } from '../support/counts.js';
import { findReaper } from '../support/exiting-gate.js';
import { spawnStdioGate, waitFor } from '../support/gate.js';
import { openLineClient } from '../support/line-client.js';
import { openPluginPlace, type PluginPlace, socketsOf } from '../support/plugin-place.js';
import { describeProcess, findMarked, hasProc } from '../support/proc.js';
import { createRandom } from '../support/random.js';

const rounds = count(200);
const lanes = 2;
const limitMs = 5000;
const random = createRandom();
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

describe.skipIf(!hasProc)('a killed gateway (skipped: no /proc)', () => {
  const places: PluginPlace[] = [];
  beforeAll(() => {
    for (let i = 0; i < lanes; i += 1) {
      const place = openPluginPlace({ deaf: { behaviours: ['ignores-term'] }, peer: {} });
      expect(place.run('plugin', 'new', 'own').status).toBe(0);
      place.trustPlugins();
      places.push(place);
    }
  });
  afterAll(() => {
    for (const place of places) {
      endAll(place);
      place.close();
    }
  });

  it(`leaves no plugin after five seconds, and no socket after the next start (${String(rounds)} rounds)`, async () => {
    const ended: { readonly running: number; readonly ms: number; readonly left: readonly string[] }[] = [];
    let next = 0;
    await Promise.all(
      places.map(async (place) => {
        while (next < rounds) {
          next += 1;
          ended.push(await killOnce(place));
        }
      }),
    );
    const times = ended.map(({ ms }) => ms).sort((a, b) => a - b);
    console.log(
      `${String(ended.length)} kills: all gone after p50 ${(times[Math.floor(times.length / 2)] ?? 0).toFixed(0)} ms, max ${(times.at(-1) ?? 0).toFixed(0)} ms; ${String(ended.filter(({ running }) => running === 3).length)} with all three plugins running`,
    );
    expect(ended.flatMap(({ left }) => left)).toEqual([]);
    expect(ended.filter(({ running }) => running === 3).length).toBeGreaterThanOrEqual(
      Math.floor(rounds / 2),
    );
    for (const place of places) {
      // There is something to sweep, and the next start sweeps it.
      expect((await killOnce(place, 'busy')).left).toEqual([]);
      expect(socketsOf(place).length).toBeGreaterThan(0);
      expect(place.run('plugin', 'list').status).toBe(0);
      await waitFor(
        () => socketsOf(place).length === 0,
        limitMs,
        () => socketsOf(place).join(),
      );
    }
  });

  it('control: without the reaper, plugins survive', async () => {
    const [place] = places;
    if (place === undefined) throw new Error('no place');
    const { gate } = await openBusy(place);
    gate.kill('SIGSTOP');
    const reaper = findReaper(place.directory);
    expect(reaper).toBeDefined();
    process.kill(reaper ?? 0, 'SIGKILL');
    gate.kill('SIGKILL');
    await pause(limitMs);
    const left = pluginsOf(place);
    expect(left.length).toBeGreaterThan(0);
    // The next command ends them, also one that starts nothing.
    expect(place.run('plugin', 'list').status).toBe(0);
    expect(left.filter((pid) => findMarked(place.directory).includes(pid))).toEqual([]);
  });

  async function killOnce(
    place: PluginPlace,
    when: 'any' | 'busy' = 'any',
  ): Promise<{ running: number; ms: number; left: readonly string[] }> {
    const { gate, busy } = openGate(place);
    // One in five dies at any moment of its start.
    if (when === 'any' && random.below(5) === 0) await pause(random.below(600));
    else await busy;
    const running = pluginsOf(place).length;
    const started = performance.now();
    gate.kill('SIGKILL');
    let pids = findMarked(place.directory);
    while (pids.length > 0 && performance.now() - started < limitMs) {
      await pause(100);
      pids = findMarked(place.directory);
    }
    const left = pids.map(describeProcess);
    endAll(place);
    return { running, ms: performance.now() - started, left };
  }

  function openGate(place: PluginPlace) {
    const gate = spawnStdioGate(place);
    const client = openLineClient(gate);
    const call = (name: string, args: object) =>
      client.request('tools/call', { name, arguments: args }, 60_000);
    const busy = client
      .initialize()
      .then(() =>
        Promise.all([
          call('deaf_echo', { text: 'a' }),
          call('peer_echo', { text: 'a' }),
          call('own_count_words', { text: 'a' }),
        ]),
      )
      .catch(() => undefined);
    return { gate, busy };
  }

  async function openBusy(place: PluginPlace) {
    const opened = openGate(place);
    await opened.busy;
    return opened;
  }

  function pluginsOf(place: PluginPlace): readonly number[] {
    return findMarked(place.directory).filter((pid) => describeProcess(pid).includes('/awf-plugin-'));
  }

  function endAll(place: PluginPlace): void {
    for (const pid of findMarked(place.directory)) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // Gone meanwhile.
      }
    }
  }
});
