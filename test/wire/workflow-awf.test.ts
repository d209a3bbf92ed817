import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { done, type FlowPlace, openFlowPlace } from '../support/flow.js';

// Whatever AWF accepts, `validate` accepts too. It warns if a run would fail, and the run fails with the same code.

let place: FlowPlace;
beforeAll(() => {
  place = openFlowPlace();
});
afterAll(() => place.close());

const flow = (a: object, more: object = {}): object => ({
  name: 'x',
  states: { initial: 'a', a: { on_success: 'done', ...a }, done },
  ...more,
});
const validate = (workflow: object, name = 'flow.yaml') =>
  place.run1(['validate', place.file(name, JSON.stringify(workflow))]);
const operation = (name: string, inputs: object = {}): object =>
  flow({ type: 'operation', operation: name, inputs });

describe('the built-in operations of AWF', () => {
  it('[16.23] for GitHub are valid, with a warning that Tidegate does not run them', async () => {
    const workflow = operation('github.get_issue', { number: 1 });
    const { stdout, status } = await validate(workflow);
    expect(stdout).toContain(
      'warning EXECUTION.OPERATION.UNSUPPORTED: Tidegate does not support the built-in AWF operation "github.get_issue".',
    );
    expect(status).toBe(0);
    const ran = await place.flow(workflow);
    expect([ran.status, ran.result.code]).toEqual([3, 'EXECUTION.OPERATION.UNSUPPORTED']);
  });

  it('[16.23] runs noop, which does nothing', async () => {
    const { stdout, status } = await validate(operation('noop'));
    expect([status, stdout]).toEqual([0, expect.not.stringContaining('warning')]);
    const { result } = await place.flow(operation('noop'));
    expect(result.steps).toMatchObject([{ name: 'a', status: 'completed', output: '' }]);
  });

  it('[16.23] still refuses an operation of a plugin that does not exist', async () => {
    const { stdout, status } = await validate(operation('htp.request'));
    expect(stdout).toContain('error USER.MCP_PROXY.UNKNOWN_PLUGIN');
    expect(status).toBe(2);
  });
});

describe('inputs of the types array and number', () => {
  const typed = flow(
    {
      type: 'command',
      command: 'echo {{escape .inputs.items}} $items {{len .inputs.items}} {{.inputs.rate}}',
      on_success: 'each',
    },
    {
      inputs: [
        { name: 'items', type: 'array', default: ['one', 'two'] },
        { name: 'rate', type: 'number', default: 0.5, validation: { max: 2 } },
      ],
    },
  );
  const states = {
    ...(typed as { states: object }).states,
    each: { type: 'for_each', items: '{{.inputs.items}}', body: ['say'], on_complete: 'done' },
    say: { type: 'command', command: 'echo {{escape .loop.Item}}', on_success: 'each' },
  };
  const workflow = { ...typed, states };

  it('[16.23] are accepted, and available in strings, variables and loops', async () => {
    expect((await validate(workflow)).status).toBe(0);
    const { status, result } = await place.flow(workflow);
    expect(status).toBe(0);
    const [first] = result.steps;
    expect(first?.output.trim()).toBe('["one","two"] ["one","two"] 2 0.5');
    expect(result.steps.find(({ name }) => name === 'each')?.output).toBe('2 rounds');
  });

  it('[16.23] are parsed from strings: a JSON array, or words separated by commas', async () => {
    for (const items of ['["a, b","c"]', 'a,b']) {
      const { result } = await place.flow(workflow, ['-i', `items=${items}`, '-i', 'rate=1e0']);
      expect(result.steps[0]?.output).toMatch(/ 2 1\n?$/);
    }
  });

  it('[16.23] are refused if the value has another type', async () => {
    const wrong = place.file('wrong.yaml', JSON.stringify(workflow));
    const { stderr, stdout, status } = await place.run1(['run', wrong, '-i', 'rate=fast']);
    expect(stderr + stdout).toContain('Input "rate" must be a number, not "fast".');
    expect(status).toBe(1);
    expect((await place.run1(['run', wrong, '-i', 'rate=2.5'])).status).toBe(1);
  });
});

it('[16.23] workflows that call each other in a cycle are a warning, and fail the run that closes the cycle', async () => {
  const call = (workflow: string): object => flow({ type: 'call_workflow', workflow });
  place.file('ring-b.yaml', JSON.stringify(call('ring-a.yaml')));
  const { stdout, status } = await validate(call('ring-b.yaml'), 'ring-a.yaml');
  expect(stdout).toContain('warning WORKFLOW.VALIDATION.CIRCULAR_CALL');
  expect(status).toBe(0);
  const ran = await place.run1(['run', 'ring-a.yaml', '--json'], { cwd: place.workspace });
  expect(ran.stdout).toContain('workflows call each other in a cycle');
  expect(ran.status).toBe(3);
});

it('[16.23] `loop` outside a loop is a warning, and fails the step that uses it', async () => {
  const outside = flow({ type: 'command', command: 'echo {{escape .loop.Item}}' });
  const { stdout, status } = await validate(outside);
  expect(stdout).toContain('warning WORKFLOW.VALIDATION.LOOP_OUTSIDE_LOOP');
  expect(status).toBe(0);
  const ran = await place.flow(outside);
  expect([ran.status, ran.result.code]).toEqual([3, 'EXECUTION.STEP.BAD_VALUE']);
});

describe('errors that Tidegate reports before the run, and AWF only during it', () => {
  it.each([
    [
      'a provider that does not exist',
      { type: 'agent', provider: 'anthropic', prompt: 'x' },
      'UNKNOWN_PROVIDER',
    ],
    [
      'a lowercase state property in a prompt',
      { type: 'agent', provider: 'openai', prompt: '{{.states.a.output}}' },
      'INVALID_PROPERTY',
    ],
    ['a missing script', { type: 'command', script_file: 'none.sh' }, 'MISSING_FILE'],
  ])('[16.23] is %s', async (_name, step, code) => {
    const { stdout, status } = await validate(flow(step));
    expect(stdout).toMatch(new RegExp(`error [A-Z_.]+\\.${code}: `));
    expect(status).toBe(2);
  });
});
