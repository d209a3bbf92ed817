// Streams that break at each of their bytes, each for another agent of one run of the built program: no call is made from
// half an answer, and none twice.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openScriptedModel, type ScriptedTurn } from 'tidegate/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { count } from '../support/counts.js';
import { agentStep, done, type FlowPlace, openFlowPlace } from '../support/flow.js';

let place: FlowPlace;
beforeAll(() => {
  place = openFlowPlace();
});
afterAll(() => place.close());

const mostInFile = 200;
const contentOf = (name: string): string => `größe of ${name}`;

function turnOf(name: string): ScriptedTurn {
  return {
    calls: [{ name: 'Write', arguments: { file_path: `cut/${name}`, content: contentOf(name) } }],
    pieces: 2,
  };
}

async function lengthOf(turn: ScriptedTurn): Promise<number> {
  const model = await openScriptedModel([turn]);
  const body = '{"model":"m","stream":true}';
  const response = await fetch(`${model.url}/chat/completions`, { method: 'POST', body });
  const { length } = Buffer.from(await response.arrayBuffer());
  await model.close();
  return length;
}

it(`a stream that breaks at any byte leads to exactly one complete call (${String(count(10))} of 10 bytes)`, async () => {
  mkdirSync(join(place.workspace, 'cut'));
  const length = await lengthOf(turnOf('cut-0000'));
  expect(length).toBeGreaterThan(500);
  const stride = 10 / count(10);
  const cuts = Array.from({ length: Math.floor(length / stride) }, (_, at) => at * stride);
  const names = cuts.map((cut) => `cut-${String(cut).padStart(4, '0')}`);
  const asked = new Map<string, number>();
  const model = await openScriptedModel(({ model: name, messages }) => {
    if (messages.at(-1)?.role === 'tool') return { say: 'done' };
    const before = asked.get(name) ?? 0;
    asked.set(name, before + 1);
    return before === 0 ? { ...turnOf(name), cutAfter: Number(name.slice(4)) } : turnOf(name);
  });
  const agentOf = (name: string): object =>
    agentStep(model.url, {
      options: { base_url: model.url, model: name, max_retries: 1 },
      tidegate: { tools: ['Write'] },
    });
  const made: string[] = [];
  for (let at = 0; at < names.length; at += mostInFile) {
    const some = names.slice(at, at + mostInFile);
    const { status, result } = await place.flow({
      states: {
        initial: 'all',
        all: { type: 'parallel', parallel: some, max_concurrent: 50, on_success: 'done' },
        ...Object.fromEntries(some.map((name) => [name, agentOf(name)])),
        done,
      },
    });
    expect([status, result.status]).toEqual([0, 'completed']);
    const calls = place.transcript(result).filter(({ type }) => type === 'tool.call');
    made.push(...calls.map(({ payload }) => JSON.stringify(payload['input'])));
  }
  made.sort();
  // The control: the streams did break, and were asked for again, unless all of the call had come by then.
  const again = names.map((name) => asked.get(name) === 2);
  const whole = again.indexOf(false);
  expect(whole).toBeGreaterThan(names.length / 2);
  expect(again.slice(whole)).not.toContain(true);
  expect(made).toHaveLength(names.length);
  for (const [at, name] of names.entries()) {
    expect(made[at]).toContain(contentOf(name));
    expect(readFileSync(join(place.workspace, 'cut', name), 'utf8')).toBe(contentOf(name));
  }
  await model.close();
}, 300_000);
