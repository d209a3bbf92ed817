import { openScriptedModel } from 'tidegate/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { count } from '../support/counts.js';
import { agentStep, done, type FlowPlace, openFlowPlace } from '../support/flow.js';

// Two agents of one run, at the same time and with different tools. A router that both share would mix them up.

const runs = count(1000);
/** So many runs are iterations of one loop: starting the program takes longer than they do. */
const atOnce = 50;

describe('two agents running in parallel', () => {
  let place: FlowPlace;
  beforeAll(() => {
    place = openFlowPlace();
    place.file('left.txt', 'left');
  });
  afterAll(() => place.close());

  const toolsOf: Readonly<Record<string, readonly string[]>> = { left: ['Read'], right: ['Glob', 'Grep'] };

  it(`never see each other's tools (${String(runs)} runs)`, async () => {
    const seen: {
      readonly model: string;
      readonly tools: readonly string[];
      readonly told: readonly string[];
    }[] = [];
    const model = await openScriptedModel(({ model: name, tools, messages }) => {
      const told = messages.filter(({ role }) => role === 'tool').map(({ text }) => text);
      seen.push({ model: name, tools, told });
      // Each tries its own tool and one of the other's.
      if (told.length > 0) return { say: 'done' };
      const own = { name: 'Read', arguments: { file_path: 'left.txt' } };
      const other = { name: 'Glob', arguments: { pattern: '*.txt' } };
      return { calls: [own, other] };
    });
    for (let round = 0; round < runs; round += atOnce) {
      const states = {
        initial: 'each',
        each: {
          type: 'for_each',
          items: Array.from({ length: Math.min(atOnce, runs - round) }, (_, at) => at),
          body: ['both'],
          on_complete: 'done',
        },
        both: { type: 'parallel', parallel: ['left', 'right'], on_success: 'each' },
        left: agentStep(model.url, {
          options: { base_url: model.url, model: 'left' },
          tidegate: { tools: toolsOf['left'] },
        }),
        right: agentStep(model.url, {
          options: { base_url: model.url, model: 'right' },
          tidegate: { tools: toolsOf['right'] },
        }),
        done,
      };
      const { status } = await place.flow({ states });
      expect(status).toBe(0);
    }
    expect(seen).toHaveLength(runs * 4);
    for (const { model: name, tools, told } of seen) {
      expect(tools).toEqual(toolsOf[name]?.toSorted());
      if (told.length === 0) continue;
      const [read = '', glob = ''] = told;
      expect(read.includes('tool.not_found')).toBe(name === 'right');
      expect(glob.includes('tool.not_found')).toBe(name === 'left');
    }
    await model.close();
  });

  it('control: would see them if the step granted them', async () => {
    const tools: (readonly string[])[] = [];
    const model = await openScriptedModel((request) => {
      tools.push(request.tools);
      return { say: 'x' };
    });
    await place.flow({
      states: {
        initial: 'a',
        a: agentStep(model.url, { tidegate: { tools: ['Read', 'Glob', 'Grep'] } }),
        done,
      },
    });
    expect(tools).toEqual([['Glob', 'Grep', 'Read']]);
    await model.close();
  });
});
