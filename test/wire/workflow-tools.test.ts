import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openScriptedModel } from 'tidegate/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentStep, done, type FlowPlace, openFlowPlace } from '../support/flow.js';

let place: FlowPlace;
beforeAll(() => {
  place = openFlowPlace();
});
afterAll(() => place.close());

interface Answer {
  readonly isError?: boolean;
  readonly structuredContent?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly message: string };
}

async function call(
  name: string,
  given: object,
  as: readonly string[] = [],
): Promise<{ readonly status: number | null; readonly answer: Answer; readonly said: string }> {
  const { stdout, stderr, status } = await place.run1([
    'tools',
    'call',
    name,
    JSON.stringify(given),
    '--json',
    ...as,
  ]);
  return { status, answer: JSON.parse(stdout) as Answer, said: stdout + stderr };
}

const greet = (word: string): string =>
  JSON.stringify({
    name: 'greet',
    description: 'Says hello',
    inputs: [{ name: 'who', required: true }],
    states: {
      initial: 'a',
      a: { type: 'command', command: `echo ${word} {{escape .inputs.who}}`, on_success: 's' },
      s: { type: 'command', script_file: 'note.sh', on_success: 'done' },
      done,
    },
    outputs: { said: 'states.a.Output' },
  });

describe('workflows as tools', () => {
  it('are unknown until they are trusted, and again after a file they use has changed', async () => {
    const file = place.file('.tidegate/workflows/greet.yaml', greet('hello'));
    place.file('.tidegate/scripts/note.sh', 'echo noted >> notes');
    expect((await call('list_workflows', {})).answer.structuredContent).toEqual({ workflows: [] });
    const before = await call('execute_workflow', { workflow: 'greet', inputs: { who: 'x' } });
    const absent = await call('execute_workflow', { workflow: 'no_such', inputs: { who: 'x' } });
    expect(before.said.replace('greet', 'no_such')).toBe(absent.said);
    expect(existsSync(join(place.workspace, 'notes'))).toBe(false);

    const trusted = await place.run1(['trust', file, '--yes']);
    expect(trusted.stdout).toContain('note.sh');
    expect(trusted.status).toBe(0);
    expect((await call('list_workflows', {})).answer.structuredContent).toEqual({
      workflows: [{ name: 'greet', description: 'Says hello', inputs: [{ name: 'who', required: true }] }],
    });
    const ran = await call('execute_workflow', { workflow: 'greet', inputs: { who: 'a b' } });
    expect(ran.answer.structuredContent).toMatchObject({
      status: 'completed',
      outputs: { said: 'hello a b' },
      steps: [{ name: 'a' }, { name: 's' }],
    });
    expect(readFileSync(join(place.workspace, 'notes'), 'utf8')).toBe('noted\n');

    place.file('.tidegate/scripts/note.sh', 'echo changed >> notes');
    expect((await call('list_workflows', {})).answer.structuredContent).toEqual({ workflows: [] });
    expect((await call('execute_workflow', { workflow: 'greet', inputs: { who: 'x' } })).said).toContain(
      'no workflow',
    );
    expect(readFileSync(join(place.workspace, 'notes'), 'utf8')).toBe('noted\n');
  });

  it('are unknown again after a template changed that they, a called workflow or another template uses', async () => {
    const template = (state: object): string => JSON.stringify({ name: 't', states: { t: state } });
    const file = place.file(
      '.tidegate/workflows/made.yaml',
      JSON.stringify({
        name: 'made',
        states: {
          initial: 'a',
          a: { use_template: 'outer', on_success: 'b' },
          b: { type: 'call_workflow', workflow: 'below', on_success: 'done' },
          done,
        },
      }),
    );
    place.file(
      '.tidegate/workflows/below.yaml',
      JSON.stringify({
        name: 'below',
        states: { initial: 'a', a: { use_template: 'deep', on_success: 'done' }, done },
      }),
    );
    const texts: Readonly<Record<string, string>> = {
      outer: template({ use_template: 'inner' }),
      inner: template({ type: 'command', command: 'echo inner' }),
      deep: template({ type: 'command', command: 'echo deep' }),
    };
    const write = (name: string, text = ''): string => place.file(`.tidegate/templates/${name}.yaml`, text);
    for (const [name, text] of Object.entries(texts)) write(name, text);
    const trusted = await place.run1(['trust', file, '--yes']);
    expect(trusted.stdout).toContain('inner.yaml');
    expect(trusted.status).toBe(0);
    const run = (): ReturnType<typeof call> => call('execute_workflow', { workflow: 'made', inputs: {} });
    expect((await run()).answer.structuredContent).toMatchObject({ status: 'completed' });
    for (const [name, text] of Object.entries(texts)) {
      write(name, template({ type: 'command', command: 'touch tampered' }));
      expect((await run()).said, name).toContain('no workflow');
      write(name, text);
    }
    expect(existsSync(join(place.workspace, 'tampered'))).toBe(false);
    // Control: with every file restored, it is known again.
    expect((await run()).answer.structuredContent).toMatchObject({ status: 'completed' });
  });

  it('run nothing from a file that changed during the run', async () => {
    const slow = {
      name: 'slow',
      states: {
        initial: 'a',
        a: { type: 'command', command: 'touch begun; sleep 3', on_success: 's' },
        s: { type: 'command', script_file: 'late.sh', on_success: 'done' },
        done,
      },
    };
    const file = place.file('.tidegate/workflows/slow.yaml', JSON.stringify(slow));
    place.file('.tidegate/scripts/late.sh', 'echo trusted > late');
    expect((await place.run1(['trust', file, '--yes'])).status).toBe(0);
    const running = call('execute_workflow', { workflow: 'slow', inputs: {} });
    for (let at = 0; at < 200 && !existsSync(join(place.workspace, 'begun')); at += 1)
      await new Promise((resolve) => setTimeout(resolve, 50));
    place.file('.tidegate/scripts/late.sh', 'echo tampered > late');
    expect((await running).said).toContain('changed after it was trusted');
    expect(existsSync(join(place.workspace, 'late'))).toBe(false);
    // Control: without changes it completes.
    place.file('.tidegate/scripts/late.sh', 'echo trusted > late');
    expect(
      (await call('execute_workflow', { workflow: 'slow', inputs: {} })).answer.structuredContent,
    ).toMatchObject({
      status: 'completed',
    });
    expect(readFileSync(join(place.workspace, 'late'), 'utf8')).toBe('trusted\n');
  });

  it('report invalid inputs to the agent', async () => {
    place.file('.tidegate/scripts/note.sh', 'echo noted >> notes');
    const wrong = await call('execute_workflow', { workflow: 'greet', inputs: { whom: 'x' } });
    expect(wrong.said).toContain('Unknown input');
    expect(wrong.said).toContain('is missing');
  });

  it('require a grant, and give their agents at most the rights of the caller', async () => {
    const model = await openScriptedModel([{ say: 'x' }]);
    const file = place.file(
      '.tidegate/workflows/ask.yaml',
      JSON.stringify({
        name: 'ask',
        states: { initial: 'a', a: agentStep(model.url, { tidegate: { tools: ['*'] } }), done },
      }),
    );
    await place.run1(['trust', file, '--yes']);
    const hidden = await call('execute_workflow', { workflow: 'ask' }, ['--as', 'agent:small']);
    expect(hidden.status).toBe(3);
    await place.run1(['grant', 'agent:small', 'execute_workflow']);
    await place.run1(['grant', 'agent:small', 'Read']);
    const ran = await call('execute_workflow', { workflow: 'ask' }, ['--as', 'agent:small']);
    expect(ran.answer.structuredContent).toMatchObject({ status: 'completed' });
    const seen = model.requests[0]?.tools ?? [];
    expect(seen).toContain('Read');
    expect(seen).not.toContain('Bash');
    await model.close();
  });

  it('leave runs for others: two agents that request sixteen each do not get all of them', async () => {
    const call = { name: 'execute_workflow', arguments: { workflow: 'wait' } };
    const model = await openScriptedModel(({ messages }) => {
      const answers = messages.filter(({ role }) => role === 'tool').length;
      if (answers === 0) return { calls: Array.from({ length: 16 }, () => call) };
      return answers === 16 ? { calls: [call] } : { say: 'x' };
    });
    const wait = {
      name: 'wait',
      states: { initial: 'a', a: { type: 'command', command: 'sleep 5', on_success: 'done' }, done },
    };
    const file = place.file('.tidegate/workflows/wait.yaml', JSON.stringify(wait));
    expect((await place.run1(['trust', file, '--yes'])).status).toBe(0);
    const agent = agentStep(model.url, { tidegate: { tools: ['execute_workflow'] } });
    const { status } = await place.flow({
      states: {
        initial: 'p',
        p: { type: 'parallel', parallel: ['x', 'y'], on_success: 'done' },
        x: agent,
        y: agent,
        done,
      },
    });
    expect(status).toBe(0);
    const ends = model.requests.filter(
      ({ messages }) => messages.filter(({ role }) => role === 'tool').length === 17,
    );
    const told = ends.map(({ messages }) =>
      messages.filter(({ role }) => role === 'tool').map(({ text }) => text),
    );
    expect(told).toHaveLength(2);
    const first = told.flatMap((texts) => texts.slice(0, 16));
    const refused = first.filter((text) => text.includes('runs are already active'));
    const completed = first.filter((text) => text.includes('completed'));
    expect(refused.length).toBeGreaterThan(0);
    // The control: the others ran, and once they end, the next ones run.
    expect(refused.length + completed.length).toBe(32);
    expect(completed.length).toBeGreaterThanOrEqual(16);
    for (const texts of told) expect(texts[16]).toContain('completed');
    await model.close();
  });
});
