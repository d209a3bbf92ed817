import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { callTool, createFakeExchange } from '../testing/index.js';
import { defineGraph, payload } from './define-graph.js';

const words = { title: 'Collatz', description: 'Counts down to one.', effect: 'read' } as const;
const input = z.object({ n: z.int().min(1).describe('Start value.') });
const output = z.object({ steps: z.int().describe('Number of steps.') });

function collatz(maxSteps?: number) {
  return defineGraph({
    ...words,
    name: 'collatz',
    input,
    output,
    ...(maxSteps !== undefined && { maxSteps }),
    payloads: { begin: payload<{ n: number }>(), step: payload<{ n: number; steps: number }>() },
    first: 'begin',
    nodes: (node) => ({
      begin: node('begin', ['step'], ({ n }, { goto }) => goto('step', { n, steps: 0 })),
      step: node('step', ['step', 'exit'], ({ n, steps }, { goto, exit }) => {
        if (n === 1) return exit({ data: { steps }, text: `${String(steps)} steps` });
        return goto('step', { n: n % 2 === 0 ? n / 2 : 3 * n + 1, steps: steps + 1 });
      }),
    }),
  });
}

describe('a graph', () => {
  it('goes from node to node until one exits', async () => {
    expect(await callTool(collatz(), { n: 6 })).toMatchObject({ data: { steps: 8 }, text: '8 steps' });
  });

  it('exposes its nodes and edges', () => {
    expect(collatz().graph).toEqual({
      first: 'begin',
      edges: { begin: ['step'], step: ['step', 'exit'] },
    });
  });

  it('is a normal tool without extra properties', () => {
    expect(Object.keys(collatz()).sort()).toEqual(
      ['description', 'effect', 'graph', 'input', 'name', 'output', 'run', 'title'].sort(),
    );
  });

  it('stops at the maximum number of steps', async () => {
    await expect(callTool(collatz(5), { n: 27 })).rejects.toMatchObject({
      name: 'ToolFailure',
      facts: { reason: 'step_limit' },
    });
  });

  it('stops between nodes if the call is cancelled', async () => {
    const exchange = createFakeExchange();
    exchange.cancel();
    await expect(callTool(collatz(), { n: 6 }, { exchange })).rejects.toThrow('cancelled');
  });

  it('reports progress, and a step for each node', async () => {
    const steps: string[] = [];
    const fake = createFakeExchange();
    const exchange = Object.assign(fake, {
      step: (name: string) => {
        steps.push(`> ${name}`);
        return (failure?: string) => void steps.push(`< ${name}${failure ?? ''}`);
      },
    });
    await callTool(collatz(), { n: 2 }, { exchange });
    expect(steps).toEqual(['> begin', '< begin', '> step', '< step', '> step', '< step']);
    expect(fake.sent.progress.map(({ value }) => value)).toEqual([
      { progress: 0, message: 'begin' },
      { progress: 1, message: 'step' },
      { progress: 2, message: 'step' },
    ]);
  });

  it('records in the trace of a node why it failed', async () => {
    const ends: unknown[] = [];
    const exchange = Object.assign(createFakeExchange(), {
      step: () => (failure?: string) => void ends.push(failure),
    });
    const broken = defineGraph({
      ...words,
      name: 'broken',
      input,
      payloads: { only: payload<{ n: number }>() },
      first: 'only',
      nodes: (node) => ({
        only: node('only', ['exit'], () => {
          throw new Error('no luck');
        }),
      }),
    });
    await expect(callTool(broken, { n: 1 }, { exchange })).rejects.toThrow('no luck');
    expect(ends).toEqual(['no luck']);
  });

  it('without types cannot go to an undeclared node', async () => {
    const sneaky = defineGraph({
      ...words,
      name: 'sneaky',
      input,
      payloads: { first: payload<{ n: number }>(), second: payload<{ n: number }>() },
      first: 'first',
      nodes: (node) => ({
        first: node('first', ['exit'], () => ({ to: 'second', payload: { n: 1 } }) as never),
        second: node('second', ['exit'], (_payload, { exit }) => exit('reached')),
      }),
    });
    await expect(callTool(sneaky, { n: 1 })).rejects.toThrow('without declaring it');
  });
});
