import { describe, expect, it } from 'vitest';
import { createNoPlugins } from '../../ports/no-plugins.js';
import { execute } from './execute.js';
import type { Frame } from './frame.js';
import { runWorkflow, type RunOrder } from './run-workflow.js';
import type { RunParts } from './run-parts.js';

const signal = new AbortController().signal;
const terminal = { name: 'end', kind: 'terminal', type: 'terminal', own: { status: 'failure' }, common: {} };
const journal = {
  recorded: () => undefined,
  end: () => Promise.resolve(),
  totals: () => ({ steps: 0 }),
};

/** Runs a workflow with only the parts that its end needs. */
function run(end: () => Promise<void>): ReturnType<typeof runWorkflow> {
  const order = {
    runId: 'r1',
    workflow: {
      name: 'x',
      initial: 'end',
      hooks: {},
      outputs: [],
      source: { file: 'x.yaml' },
      steps: new Map([['end', terminal]]),
    },
    inputs: {},
    journal: { ...journal, end },
    transcript: { write: () => undefined },
    isResumed: false,
    signal,
  } as unknown as RunOrder;
  const parts = {
    now: () => 0,
    onEvent: () => undefined,
    plugins: createNoPlugins(),
    redact: (value: unknown) => value,
  } as unknown as RunParts;
  return runWorkflow(order, parts);
}

describe('a run', () => {
  it('ends as its last state says', async () => {
    const ended = { status: 'failed', code: 'EXECUTION.WORKFLOW.FAILED', exitCode: 3 };
    expect(await run(() => Promise.resolve())).toMatchObject(ended);
  });

  it('fails if its end cannot be recorded', async () => {
    const full = Object.assign(new Error('ENOSPC: no space left on device, write'), { syscall: 'write' });
    const ended = await run(() => Promise.reject(full));
    expect(ended).toMatchObject({ status: 'failed', code: 'SYSTEM.IO.WRITE_FAILED', exitCode: 4 });
    expect(ended.message).toContain('ENOSPC');
  });

  it('reports the cause of an internal error', async () => {
    const ended = await run(() => Promise.reject(new TypeError('x is not a function')));
    expect(ended).toMatchObject({ status: 'failed', code: 'SYSTEM.INTERNAL.UNMAPPED', exitCode: 4 });
    expect(ended.message).toContain('run-workflow.test.ts');
  });

  it('stops at the maximum number of steps', async () => {
    const frame = { parts: {}, states: new Map(), journal, budget: { left: 0 } } as unknown as Frame;
    const place = { key: 'a', path: 'a', signal };
    await expect(execute(terminal as never, frame, place)).rejects.toMatchObject({
      code: 'EXECUTION.WORKFLOW.TOO_MANY_STEPS',
    });
  });
});
