import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { done, type FlowPlace, openFlowPlace } from '../support/flow.js';

// Steps that wait for each other, and commands with nothing left to wait for.

let place: FlowPlace;
beforeAll(() => {
  place = openFlowPlace();
});
afterAll(() => place.close());

const branch = (...others: readonly string[]): object => ({
  type: 'command',
  command: 'true',
  depends_on: others,
});
const flow = (states: object): object => ({
  name: 'round',
  states: {
    initial: 'p',
    p: { type: 'parallel', parallel: ['x', 'y'], on_success: 'done' },
    ...states,
    done,
  },
});
const round = flow({ x: branch('y'), y: branch('x') });

describe('branches that wait for each other', () => {
  it.each([
    ['two', round, 'x → y → x'],
    ['a branch that waits for itself', flow({ x: branch('x'), y: branch() }), 'x → x'],
  ])('are an error in the file: %s', async (_name, workflow, words) => {
    const file = place.file('round.yaml', JSON.stringify(workflow));
    const { status, stdout, stderr } = await place.run1(['validate', file]);
    expect(stdout + stderr).toContain(`CYCLE_DETECTED: Steps wait for each other: ${words}.`);
    expect(status).toBe(2);
    expect((await place.run1(['run', file])).status).toBe(2);
  });

  it('fail the step of a called workflow that was not validated', async () => {
    place.file('below.yaml', JSON.stringify(round));
    const { status, result } = await place.flow({
      states: {
        initial: 'a',
        a: { type: 'call_workflow', workflow: 'below.yaml', on_success: 'done' },
        done,
      },
    });
    expect(status).toBe(3);
    expect(result.message).toContain('Branches wait for each other: x → y → x.');
  });

  it('run in order if there is no cycle', async () => {
    const { status } = await place.flow(flow({ x: branch(), y: branch('x') }));
    expect(status).toBe(0);
  });
});

it('a command with nothing left to wait for reports it', async () => {
  // Simulates a bug: a promise that never settles.
  const stuck = 'data:text/javascript,Promise.allSettled=()=>new Promise(()=>{})';
  const file = place.file('stuck.yaml', JSON.stringify(flow({ x: branch(), y: branch('x') })));
  const { status, stderr } = await place.run1(['run', file], { node: ['--import', stuck] });
  expect(stderr).toContain('nothing is left to wait for');
  expect(status).toBe(1);
});
