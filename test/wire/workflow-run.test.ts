import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { openScriptedModel } from 'tidegate/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentStep, done, filesOf, type FlowPlace, openFlowPlace } from '../support/flow.js';

let place: FlowPlace;
beforeAll(() => {
  place = openFlowPlace();
});
afterAll(() => place.close());

const command = (text: string, more: object = {}): object => ({
  type: 'command',
  command: text,
  on_success: 'done',
  ...more,
});
const bad = { type: 'terminal', status: 'failure', message: 'it broke: {{.states.a.ExitCode}}' };

describe('tidegate run', () => {
  it('runs commands with inputs, as strings and as environment variables', async () => {
    const { status, result } = await place.flow(
      {
        inputs: [{ name: 'who', required: true }],
        states: { initial: 'a', a: command('echo "$who" {{escape .inputs.who}}; echo oops >&2'), done },
        outputs: { said: 'states.a.Output' },
      },
      ['-i', "who=a 'b' $(id)"],
    );
    expect(status).toBe(0);
    expect(result).toMatchObject({
      status: 'completed',
      outputs: { said: "a 'b' $(id) a 'b' $(id)" },
      steps: [{ name: 'a', stderr: 'oops', exit_code: 0 }],
    });
  });

  it('evaluates conditions first, then success and failure', async () => {
    const { result } = await place.flow({
      states: {
        initial: 'a',
        a: {
          ...command('echo yes; exit 3'),
          transitions: [
            { when: "states.a.Output == 'no'", goto: 'done' },
            { when: 'states.a.ExitCode == 3', goto: 'b' },
          ],
        },
        b: command('exit 1', { on_failure: 'c' }),
        c: command('exit 1', { continue_on_error: true }),
        done,
      },
    });
    expect(result.steps.map(({ name, status }) => `${name} ${status}`)).toEqual([
      'a failed',
      'b failed',
      'c failed',
    ]);
    expect(result.status).toBe('completed');
  });

  it('exits with the status of the category, of a terminal state, or of the inline failure', async () => {
    const plain = await place.flow({ states: { initial: 'a', a: command('exit 4'), done } });
    expect([plain.status, plain.result.code]).toEqual([3, 'EXECUTION.COMMAND.FAILED']);
    const terminal = await place.flow({
      states: { initial: 'a', a: command('exit 4', { on_failure: 'bad' }), bad, done },
    });
    expect([terminal.status, terminal.result.message]).toEqual([3, 'it broke: 4']);
    const inline = await place.flow({
      states: {
        initial: 'a',
        a: command('exit 4', { on_failure: { message: 'no {{states.a.ExitCode}}', status: 7 } }),
        done,
      },
    });
    expect([inline.status, inline.result.message]).toEqual([7, 'no 4']);
  });

  it('retries with delays, and only what may be retried', async () => {
    const { result } = await place.flow({
      states: {
        initial: 'a',
        a: command('echo x >> tries; test "$(wc -l < tries)" -ge 3', {
          retry: { max_attempts: 5, initial_delay: '5ms', backoff: 'linear', jitter: 0.5 },
          on_failure: 'done',
        }),
        done,
      },
    });
    expect(result.steps[0]).toMatchObject({ status: 'completed', attempts: 3 });
    const other = await place.flow({
      states: {
        initial: 'a',
        a: command('exit 9', { retry: { max_attempts: 5, retryable_exit_codes: [1] } }),
        done,
      },
    });
    expect(other.result.steps[0]).toMatchObject({ attempts: 1, exit_code: 9 });
  });

  it('ends a step that takes too long, with all its processes, even with a timeout in milliseconds', async () => {
    const started = performance.now();
    const { result } = await place.flow({
      states: {
        initial: 'a',
        a: command('sleep 77 & sleep 78', { timeout: '300ms', on_failure: 'done' }),
        done,
      },
    });
    expect(result.steps[0]).toMatchObject({ status: 'failed', error: { code: 'EXECUTION.COMMAND.TIMEOUT' } });
    expect(performance.now() - started).toBeLessThan(5000);
  });

  it('captures output, cut to the configured size', async () => {
    const { result } = await place.flow({
      states: {
        initial: 'a',
        a: command('printf "0123456789abcdef"; echo err >&2', {
          capture: { stdout: 'out', stderr: 'err', max_size: 6 },
          on_success: 'b',
        }),
        b: command('echo {{escape .states.a.Response.out}} {{escape .states.a.Response.err}}'),
        done,
      },
    });
    expect(result.steps[0]?.output).toBe('[10 bytes left out]\nabcdef');
    expect(result.steps[1]?.output).toContain('abcdef err');
  });

  it('runs hooks, and continues if one fails', async () => {
    const { result } = await place.flow({
      hooks: {
        workflow_start: [{ command: 'echo start >> hooks' }],
        workflow_error: [
          { command: 'echo {{escape .error.Message}} {{error.state}} {{error.exit_code}} >> hooks' },
        ],
        workflow_end: [{ command: 'echo never >> hooks' }],
      },
      states: {
        initial: 'a',
        a: command('exit 2', {
          hooks: {
            pre: [{ command: 'exit 9' }, { command: 'echo pre >> hooks' }],
            post: [{ command: 'echo post {{.states.a.ExitCode}} >> hooks' }],
          },
        }),
        done,
      },
    });
    expect(result.status).toBe('failed');
    const lines = readFileSync(join(place.workspace, 'hooks'), 'utf8').trim().split('\n');
    expect(lines).toEqual(['start', 'pre', 'post 2', 'a: The command exited with status 2. a 2']);
  });

  it('runs branches in parallel with each strategy', async () => {
    const branches = (strategy: string): object => ({
      states: {
        initial: 'p',
        p: {
          type: 'parallel',
          parallel: ['x', 'y'],
          strategy,
          on_success: 'done',
          on_failure: { message: 'failed', status: 9 },
        },
        x: { type: 'command', command: strategy === 'any_succeed' ? 'true' : 'exit 1' },
        y: { type: 'command', command: 'sleep 30' },
        done,
      },
    });
    const started = performance.now();
    expect((await place.flow(branches('all_succeed'))).status).toBe(9);
    expect((await place.flow(branches('any_succeed'))).status).toBe(0);
    expect(performance.now() - started).toBeLessThan(10_000);
    const both = await place.flow({
      states: {
        initial: 'p',
        p: {
          type: 'parallel',
          parallel: ['x', 'y'],
          strategy: 'best_effort',
          max_concurrent: 1,
          on_success: 'z',
        },
        x: { type: 'command', command: 'exit 1' },
        y: { type: 'command', command: 'echo y' },
        z: command('echo {{.states.x.Status}} {{escape .states.y.Output}}'),
        done,
      },
    });
    expect(both.result.steps.find(({ name }) => name === 'z')?.output).toBe('failed y');
  });

  it('runs many branches at once without a warning', async () => {
    const names = Array.from({ length: 30 }, (_, at) => `b${String(at)}`);
    const file = place.file(
      'many.yaml',
      JSON.stringify({
        name: 'many',
        states: {
          initial: 'p',
          p: { type: 'parallel', parallel: names, on_success: 'done' },
          ...Object.fromEntries(names.map((name) => [name, { type: 'command', command: 'sleep 0.2' }])),
          done,
        },
      }),
    );
    const { status, stderr } = await place.run1(['run', file]);
    expect([status, stderr]).toEqual([0, '']);
  });

  it('runs loops over items and with a condition, and can leave them early', async () => {
    const { result } = await place.flow({
      states: {
        initial: 'l',
        l: {
          type: 'for_each',
          items: '["a", {"b": 1}, "c", "d"]',
          body: ['s', 't'],
          break_when: "loop.Item == 'c'",
          on_complete: 'w',
        },
        s: {
          type: 'command',
          command: 'echo {{escape .loop.Item}} {{loop.index1}}/{{loop.length}} >> items',
          on_success: 'l',
          transitions: [{ when: 'loop.Index == 1', goto: 'l' }],
        },
        t: { type: 'command', command: 'echo t >> items', on_success: 'l' },
        w: {
          type: 'while',
          while: 'loop.Index < 10',
          body: ['u'],
          max_iterations: '2 + 1',
          on_complete: 'v',
        },
        u: { type: 'command', command: 'echo u{{loop.index}} >> items', on_success: 'w' },
        v: { type: 'for_each', items: 'x,y', body: ['q'], on_complete: 'done' },
        q: { type: 'command', command: 'echo q >> items', transitions: [{ goto: 'out' }] },
        out: { type: 'terminal', message: 'left' },
        done,
      },
    });
    expect(readFileSync(join(place.workspace, 'items'), 'utf8').trim().split('\n')).toEqual([
      'a 1/4',
      't',
      '{"b":1} 2/4',
      'c 3/4',
      't',
      'u0',
      'u1',
      'u2',
      'q',
    ]);
    expect(result.message).toBe('left');
  });

  it('calls other workflows, and uses their outputs', async () => {
    place.file(
      '.tidegate/workflows/child.yaml',
      JSON.stringify({
        name: 'child',
        inputs: [{ name: 'n', type: 'integer', required: true }],
        states: { initial: 'a', a: command('echo $((n * 2))'), done },
        outputs: { twice: 'states.a.Output' },
      }),
    );
    const { result } = await place.flow({
      states: {
        initial: 'c',
        c: {
          type: 'call_workflow',
          workflow: 'child',
          inputs: { n: '{{.inputs.n}}' },
          outputs: { x: 'twice', y: 'states.a.ExitCode' },
          on_success: 'b',
        },
        b: command('echo {{escape .states.c.Response.x}} {{.states.c.Response.y}}'),
        done,
      },
      inputs: [{ name: 'n', default: 21 }],
    });
    expect(result.steps.find(({ name }) => name === 'b')?.output).toBe('42 0');
    expect(filesOf(result.folder)).toContain(`transcript-${result.run}.1.jsonl`);
  });

  it('runs script files, with #! as programs, and leaves no file behind', async () => {
    place.file(
      '.tidegate/scripts/hi.sh',
      '#!/bin/sh\necho "$0" | grep -c script-; echo {{escape .workflow.Name}}\n',
    );
    const { result } = await place.flow({
      states: { initial: 'a', a: { type: 'step', script_file: 'hi.sh', on_success: 'done' }, done },
    });
    expect(result.steps[0]?.output).toBe('1\ntest');
    expect(filesOf(join(result.folder, 'tmp'))).toEqual([]);
  });

  it('reports all invalid inputs at once, and starts nothing', async () => {
    const name = place.file(
      'inputs.yaml',
      JSON.stringify({
        name: 'x',
        inputs: [
          { name: 'a', type: 'integer' },
          { name: 'b', required: true },
          { name: 'c', validation: { enum: ['x'] } },
        ],
        states: { initial: 'done', done },
      }),
    );
    const ran = await place.run1(['run', name, '-i', 'a=many', '-i', 'c=y', '-i', 'd=1']);
    expect(ran.status).toBe(1);
    for (const word of [
      '"a" must be a whole number',
      'Missing input "b"',
      '"c" must be one of x',
      'Unknown input "d"',
    ])
      expect(ran.stderr).toContain(word);
    const broken = await place.run1([
      'run',
      place.file('broken.yaml', 'name: x\nstates: {initial: a, a: {type: command}}\n'),
    ]);
    expect(broken.status).toBe(2);
    expect(broken.stderr).toContain('WORKFLOW.PARSE.MISSING_FIELD');
  });

  it('runs a single step with mock results', async () => {
    const { result, status } = await place.flow(
      {
        states: {
          initial: 'a',
          a: command('exit 9', { on_success: 'b' }),
          b: command('echo got {{escape .states.a.Output}}'),
          done,
        },
      },
      ['--step', 'b', '--mock', 'states.a.Output=made up'],
    );
    expect(status).toBe(0);
    expect(result.steps.at(-1)).toMatchObject({ name: 'b', output: 'got made up' });
    expect(result.outputs).toEqual({ b: 'got made up' });
  });

  it('resumes a failed run without repeating completed steps', async () => {
    const states = {
      initial: 'a',
      a: command('echo a >> trail', { on_success: 'l' }),
      l: { type: 'for_each', items: '1,2,3', body: ['s'], on_complete: 'done' },
      s: {
        type: 'command',
        command: 'echo s{{escape .loop.Item}} >> trail; test "$item_ok" = yes -o {{loop.index}} != 1',
        on_success: 'l',
      },
      done,
    };
    const first = await place.flow({ states });
    expect(first.result).toMatchObject({ status: 'failed', code: 'EXECUTION.LOOP.FAILED' });
    const again = await place.run1(['run', '--resume', first.result.run, '--json'], {
      env: { ...place.env, item_ok: 'yes' },
    });
    expect(again.status).toBe(0);
    expect(readFileSync(join(place.workspace, 'trail'), 'utf8').trim().split('\n')).toEqual([
      'a',
      's1',
      's2',
      's2',
      's3',
    ]);
    const shown = await place.run1(['runs', 'show', first.result.run, '--json']);
    expect(JSON.parse(shown.stdout)).toMatchObject({ status: 'completed' });
    const list = await place.run1(['runs', 'list']);
    expect(list.stdout).toContain(first.result.run);
  });

  it('keeps its records private to this user, and no secrets in the transcript', async () => {
    const canary = 'tide-canary-0815';
    const { result } = await place.flow(
      {
        inputs: [{ name: 'API_TOKEN', required: true }],
        states: {
          initial: 'a',
          a: command('echo {{escape .inputs.API_TOKEN}} sk-aaaaaaaaaaaaaaaaaaaaaaaa'),
          done,
        },
      },
      ['-i', `API_TOKEN=${canary}`],
    );
    for (const name of ['journal.jsonl', 'transcript.jsonl'])
      expect(statSync(join(result.folder, name)).mode & 0o777).toBe(0o600);
    const text = readFileSync(join(result.folder, 'transcript.jsonl'), 'utf8');
    expect(text).not.toContain(canary);
    expect(text).not.toContain('sk-aaaa');
    expect(text).toContain('"type":"step.completed"');
    // The control: the journal, which a resumed run needs, contains the output of the step.
    expect(readFileSync(join(result.folder, 'journal.jsonl'), 'utf8')).toContain('"kind":"step"');
    expect(
      JSON.parse(readFileSync(join(result.folder, 'journal.jsonl'), 'utf8').split('\n')[0] ?? ''),
    ).toMatchObject({ inputs: {}, withheld: ['API_TOKEN'] });
  });

  it('shows a plan as text and as a chart, and runs nothing', async () => {
    const name = place.file(
      'plan.yaml',
      JSON.stringify({ name: 'plan', states: { initial: 'a', a: command('touch planned'), done } }),
    );
    const { stdout, status } = await place.run1(['run', name, '--dry-run']);
    expect(status).toBe(0);
    expect(stdout).toContain('runs: touch planned');
    expect(stdout).toContain('flowchart TD');
    expect(filesOf(place.workspace)).not.toContain('planned');
  });

  it('streams or buffers command output as requested', async () => {
    const name = place.file(
      'out.yaml',
      JSON.stringify({ name: 'out', states: { initial: 'a', a: command('echo one; echo two'), done } }),
    );
    expect((await place.run1(['run', name])).stdout).not.toContain('two');
    expect((await place.run1(['run', name, '--output', 'streaming'])).stdout).toContain('a | two');
    expect((await place.run1(['run', name, '--output', 'buffered'])).stdout).toContain('one\ntwo\n');
  });
});

describe('agents in a workflow', () => {
  it('answer as JSON, continue a conversation, and get roles, skills and prompts from files', async () => {
    const model = await openScriptedModel([{ say: '```json\n{"n": 7}\n```' }, { say: 'seven' }]);
    place.file('.tidegate/roles/sailor/AGENTS.md', 'You sail.');
    place.file('.tidegate/skills/knots/SKILL.md', 'Tie knots.');
    place.file('.tidegate/prompts/ask.md', 'What about {{.workflow.Name}}?');
    const { prompt: _, ...first } = agentStep(model.url, {
      output_format: 'json',
      prompt_file: 'ask.md',
      role: 'sailor',
      skills: ['knots'],
      system_prompt: 'Be brief.',
      on_success: 'b',
    }) as Record<string, unknown>;
    const { result } = await place.flow({
      states: {
        initial: 'a',
        a: first,
        b: agentStep(model.url, {
          prompt: 'n was {{.states.a.JSON.n}}',
          conversation: { continue_from: 'a' },
        }),
        done,
      },
    });
    expect(result.status).toBe('completed');
    expect(model.requests[0]?.messages).toEqual([
      { role: 'system', text: 'You sail.\n\nTie knots.\n\nBe brief.' },
      { role: 'user', text: 'What about test?' },
    ]);
    expect(model.requests[1]?.messages.map(({ text }) => text).slice(1)).toEqual([
      'What about test?',
      '```json\n{"n": 7}\n```',
      'n was 7',
    ]);
    expect(result.steps[1]).toMatchObject({ output: 'seven', usage: { input: 10, output: 5 } });
    await model.close();
  });

  it('fail with the matching code', async () => {
    const model = await openScriptedModel([{ fails: { status: 401 } }, { say: 'not json' }]);
    const refused = await place.flow({ states: { initial: 'a', a: agentStep(model.url), done } });
    expect([refused.status, refused.result.code]).toEqual([3, 'EXECUTION.AGENT.UNAUTHORIZED']);
    const wrong = await place.flow({
      states: { initial: 'a', a: agentStep(model.url, { output_format: 'json' }), done },
    });
    expect(wrong.result.code).toBe('EXECUTION.AGENT.BAD_OUTPUT');
    const other = await place.flow({
      states: {
        initial: 'a',
        a: { type: 'agent', provider: 'mistral_vibe', prompt: 'x', on_success: 'done' },
        done,
      },
    });
    expect(other.result.code).toBe('EXECUTION.AGENT.UNSUPPORTED');
    await model.close();
  });

  it('can be run without a workflow', async () => {
    const model = await openScriptedModel([
      { calls: [{ name: 'Read', arguments: { file_path: 'note.txt' } }] },
      { say: 'It says {{hello}}.' },
    ]);
    place.file('note.txt', 'hello\n');
    const ran = await place.run1([
      'run',
      '--agent',
      'openai',
      '--prompt',
      'Read {{it}}.',
      '--tools',
      'Read,Glob',
      '--model',
      'm',
      '--base-url',
      model.url,
    ]);
    expect(ran.status).toBe(0);
    expect(ran.stdout).toContain('answer: It says {{hello}}.');
    expect(model.requests[0]).toMatchObject({
      tools: ['Glob', 'Read'],
      messages: [{ role: 'user', text: 'Read {{it}}.' }],
    });
    await model.close();
  });
});
