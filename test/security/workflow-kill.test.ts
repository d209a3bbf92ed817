import { spawn } from 'node:child_process';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openScriptedModel, type ScriptedModel } from 'tidegate/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { count } from '../support/counts.js';
import { agentStep, done, type FlowPlace, openFlowPlace } from '../support/flow.js';
import { program, waitFor } from '../support/gate.js';
import { startMarked } from '../support/marked-run.js';
import { hasProc } from '../support/proc.js';
import { createRandom } from '../support/random.js';

const kills = count(50);
const limitMs = 5000;
const lanes = 4;
const random = createRandom();

interface Killed {
  readonly run: string;
  readonly trail: string;
}

describe.skipIf(!hasProc)('a runner that is ended during a run (skipped: no /proc)', () => {
  let place: FlowPlace;
  let model: ScriptedModel;
  beforeAll(async () => {
    place = openFlowPlace();
    model = await openScriptedModel(({ messages }) =>
      messages.at(-1)?.role === 'tool'
        ? { say: 'done' }
        : { calls: [{ name: 'Bash', arguments: { command: 'sleep 0.1; echo agent' } }], delayMs: 30 },
    );
  });
  afterAll(async () => {
    await model.close();
    place.close();
  });

  /** Steps of several kinds. Each command adds a line of its own to the trail when it is done. */
  function workflow(trail: string): object {
    const note = (word: string): string => `sleep 0.05; echo ${word} >> ${trail}`;
    return {
      name: 'long',
      states: {
        initial: 'one',
        one: { type: 'command', command: note('one'), on_success: 'both' },
        both: { type: 'parallel', parallel: ['left', 'right'], on_success: 'ask' },
        left: { type: 'command', command: note('left') },
        right: { type: 'command', command: `${note('right')}; sleep 0.2` },
        ask: agentStep(model.url, { tidegate: { tools: ['Bash'] }, on_success: 'each' }),
        each: { type: 'for_each', items: 'a,b,c', body: ['say'], on_complete: 'script' },
        say: { type: 'command', command: note('say-{{.loop.Item}}'), on_success: 'each' },
        script: { type: 'command', script_file: 'slow.sh', on_success: 'done' },
        done,
      },
    };
  }
  const everything = ['left', 'one', 'right', 'say-a', 'say-b', 'say-c', 'script'];

  async function killAfter(
    ms: number,
    signal: NodeJS.Signals,
  ): Promise<Killed & { readonly said: string; readonly tookMs: number }> {
    const mark = `kill-${String(random.next())}`.replace('.', '');
    const trail = join(place.workspace, `${mark}.trail`);
    place.file('.tidegate/scripts/slow.sh', `#!/bin/sh\nsleep 0.2\necho script >> "$TRAIL"\n`);
    const file = place.file(`${mark}.yaml`, JSON.stringify(workflow(trail)));
    const started = startMarked(['run', file], {
      cwd: place.workspace,
      env: { ...place.env, TRAIL: trail },
      mark,
    });
    await started.says('Run started', 20_000);
    await new Promise((resolve) => setTimeout(resolve, ms));
    const { left, tookMs } = await started.end(signal, limitMs);
    expect([ms, left]).toEqual([ms, []]);
    const said = started.said();
    const run = /Run started: (\S+)/.exec(said)?.[1] ?? '';
    return { run, trail, said, tookMs };
  }

  const trailOf = ({ trail }: Killed): readonly string[] =>
    existsSync(trail)
      ? readFileSync(trail, 'utf8')
          .trim()
          .split('\n')
          .filter((word) => word !== '')
      : [];

  const recordedOf = ({ run }: Killed): readonly string[] =>
    readFileSync(join(place.env['TIDEGATE_HOME'] ?? '', 'runs', run, 'journal.jsonl'), 'utf8')
      .split('\n')
      .flatMap((line) => /^\{"kind":"step","key":"([^"]+)"/.exec(line)?.[1] ?? []);

  const wordOf = (key: string): string =>
    /^each\/\d\/say$/.test(key) ? `say-${'abc'[Number(key[5])] ?? ''}` : (key.split('/').at(-1) ?? '');

  it(`with SIGKILL leaves no process, and --resume runs each finished step only once (${String(kills)} kills)`, async () => {
    let interrupted = 0;
    let started = 0;
    const lane = async (): Promise<void> => {
      while (started < kills) {
        started += 1;
        const killed = await killAfter(Math.floor(random.next() * 1500), 'SIGKILL');
        const before = recordedOf(killed).map(wordOf);
        const lines = trailOf(killed);
        const env = { ...place.env, TRAIL: killed.trail };
        const resumed = await place.run1(['run', '--resume', killed.run, '--json'], { env });
        expect([killed.run, resumed.status]).toEqual([killed.run, 0]);
        const after = trailOf(killed);
        expect([...new Set(after)].sort()).toEqual(everything);
        for (const word of before.filter((one) => everything.includes(one)))
          expect([word, after.filter((one) => one === word).length]).toEqual([word, 1]);
        if (lines.length < everything.length) interrupted += 1;
        const folder = join(place.env['TIDEGATE_HOME'] ?? '', 'runs', killed.run);
        expect(readdirSync(folder)).not.toContain('owner');
        expect(existsSync(join(folder, 'tmp')) ? readdirSync(join(folder, 'tmp')) : []).toEqual([]);
      }
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    console.log(
      `runs killed: n=${String(kills)}, in the middle of their work ${String(interrupted)}, seed ${String(random.seed)}`,
    );
    // Otherwise nothing was tested.
    expect(interrupted).toBeGreaterThan(kills / 3);
  });

  it('by Ctrl+C ends everything within five seconds, says so, and can be resumed', async () => {
    const stopped = await killAfter(400, 'SIGINT');
    expect(stopped.tookMs).toBeLessThan(limitMs);
    expect(stopped.said).toContain('cancelled');
    expect(stopped.said).toContain(`tidegate run --resume ${stopped.run}`);
    const resumed = await place.run1(['run', '--resume', stopped.run], {
      env: { ...place.env, TRAIL: stopped.trail },
    });
    expect(resumed.status).toBe(0);
    expect([...new Set(trailOf(stopped))].sort()).toEqual(everything);
  });

  it('is never run by two processes at once', async () => {
    const file = place.file(
      'busy.yaml',
      JSON.stringify({
        name: 'busy',
        states: { initial: 'a', a: { type: 'command', command: 'sleep 3', on_success: 'done' }, done },
      }),
    );
    const child = spawn(process.execPath, [program, 'run', file], {
      cwd: place.workspace,
      env: place.env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let said = '';
    child.stdout.on('data', (part: Buffer) => (said += part.toString()));
    await waitFor(
      () => said.includes('Run started'),
      20_000,
      () => said,
    );
    const run = /Run started: (\S+)/.exec(said)?.[1] ?? '';
    const second = await place.run1(['run', '--resume', run]);
    expect(second.status).toBe(2);
    expect(second.stderr).toContain('run.busy');
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGINT');
    await gone;
  });
});
