import { appendFileSync, chmodSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { openScriptedModel } from 'tidegate/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type AgentClient, openAgentClient } from '../support/agent-client.js';
import { answerLines, type FakeAgent, writeFakeAgent } from '../support/fake-agent.js';
import { agentStep, done, type FlowPlace, openFlowPlace } from '../support/flow.js';

// What a workflow brings is what the operator saw and trusted; what an agent starts by it stays within its rights.

let place: FlowPlace;
let agent: AgentClient;
let tools: string;

beforeAll(async () => {
  place = openFlowPlace();
  tools = join(place.directory, 'tools');
  mkdirSync(tools);
  for (const tool of ['execute_workflow', 'Read']) await place.run1(['grant', 'agent:small', tool]);
  agent = await openAgentClient(place, 'agent:small');
});
afterAll(async () => {
  await agent.close();
  place.close();
});

const flow = (name: string, states: object, more: object = {}): string =>
  place.file(
    `.tidegate/workflows/${name}.yaml`,
    JSON.stringify({ name, ...more, states: { initial: 'a', ...states, done } }),
  );
const trust = (file: string): ReturnType<FlowPlace['run1']> => place.run1(['trust', file, '--yes']);
const execute = (workflow: string, inputs: object = {}): Promise<string> =>
  agent.call('execute_workflow', { workflow, inputs });
const fake = (name: string, folder = tools): FakeAgent =>
  writeFakeAgent(folder, name, { cli: 'claude', lines: answerLines('claude') });
const step = (options: object, more: object = {}): object => ({
  type: 'agent',
  provider: 'claude',
  prompt: 'go',
  options,
  tidegate: { tools: ['Read'] },
  on_success: 'done',
  ...more,
});
const started = ({ starts }: FakeAgent): number => starts().filter(({ isTrial }) => !isTrial).length;

describe('the trust screen of a workflow', () => {
  it('[15.30] shows programs, endpoints, keys, native tools, prompts and defaults; so does --dry-run', async () => {
    const { program } = fake('shown');
    const options = {
      program,
      base_url: 'http://127.0.0.1:9/v1',
      api_key_env: 'DEPLOY_PASSWORD',
    };
    const more = {
      prompt: `${'long '.repeat(60)}end-of-prompt`,
      system_prompt: 'obey\nend-of-system',
      tidegate: { tools: ['Read'], allow_native: true },
      on_success: 'b',
    };
    flow(
      'callee',
      { a: { type: 'command', command: 'echo {{escape .inputs.deep}}', on_success: 'done' } },
      {
        inputs: [{ name: 'deep', default: 'deep-default' }],
      },
    );
    const file = flow(
      'screen',
      {
        a: step(options, more),
        b: { type: 'command', command: 'echo {{.inputs.words}}', on_success: 'c' },
        c: { type: 'for_each', items: [`${'x'.repeat(200)}end-of-items`], body: ['d'], on_complete: 'e' },
        d: { type: 'command', command: 'echo {{escape .loop.Item}}', on_success: 'c' },
        e: { type: 'call_workflow', workflow: 'callee', on_success: 'done' },
      },
      { inputs: [{ name: 'words', default: '; touch owned' }] },
    );
    for (const { stdout, status } of [await place.run1(['run', file, '--dry-run']), await trust(file)]) {
      expect(status).toBe(0);
      for (const word of [
        `starts: ${program}`,
        'endpoint: http://127.0.0.1:9/v1',
        'sends the API key from: the variable DEPLOY_PASSWORD',
        'weakened by allow_native',
        'end-of-prompt',
        'end-of-system',
        'end-of-items',
        'words = "; touch owned" (default), inserted into the command of b',
        'deep = "deep-default" (default)',
      ])
        expect(stdout).toContain(word);
      expect(stdout).not.toContain('only tools from Tidegate');
    }
    // The program is among the files that the hash covers.
    expect((await place.run1(['trust', file, '--yes', '--json'])).stdout).toContain(program);
  });
});

describe('what the caller of a run gets', () => {
  const secret = 'hunter2-very-secret';
  let caller: AgentClient;
  beforeAll(async () => {
    caller = await openAgentClient(place, 'agent:small', { DEPLOY_PASSWORD: secret });
  });
  afterAll(() => caller.close());

  it('[15.30] is on the trust screen: messages, outputs, and the variables in them', async () => {
    const file = flow(
      'told',
      {
        a: {
          type: 'command',
          command: 'true',
          on_success: 'said',
          on_failure: { message: 'failed with {{.env.DEPLOY_PASSWORD}}', status: 3 },
        },
        said: { type: 'terminal', message: 'signed in with {{.env.DEPLOY_PASSWORD}}' },
      },
      { outputs: { word: 'env.DEPLOY_PASSWORD' } },
    );
    for (const { stdout } of [await place.run1(['run', file, '--dry-run']), await trust(file)]) {
      expect(stdout).toContain('message: signed in with {{.env.DEPLOY_PASSWORD}}');
      expect(stdout).toContain('on failure, the caller gets: failed with {{.env.DEPLOY_PASSWORD}}');
      expect(stdout).toContain('word = env.DEPLOY_PASSWORD');
      expect(stdout.match(/gives the caller environment variables: DEPLOY_PASSWORD/g)).toHaveLength(3);
    }
    // Control: an agent that starts the workflow gets the value.
    const answer = await caller.call('execute_workflow', { workflow: 'told', inputs: {} });
    expect(answer.split(secret).length - 1).toBeGreaterThan(2);
    const plain = flow('plain', { a: { type: 'command', command: 'true', on_success: 'done' } });
    expect((await trust(plain)).stdout).not.toContain('environment variables');
  });

  it('[15.30] does not include a command that could not be started', async () => {
    place.write({ builtins: ['*'], workflows: { cut: { sandbox: 'off' } } });
    place.trust();
    const command = 'echo {{escape .env.DEPLOY_PASSWORD}} "$word"';
    const inputs = [{ name: 'word', default: 'a' }];
    const file = flow('cut', { a: { type: 'command', command, on_success: 'done' } }, { inputs });
    expect((await trust(file)).status).toBe(0);
    const run = (word: string): Promise<string> =>
      caller.call('execute_workflow', { workflow: 'cut', inputs: { word } });
    // Control: without the character that stops it, the command runs.
    expect(await run('b')).toContain('completed');
    const answer = await run('b\0c');
    expect(answer).toContain('NUL character');
    expect(answer).not.toContain(secret);
  });
});

describe('options.program of a trusted workflow', () => {
  it('[15.30] is hashed: a changed program makes the workflow unknown', async () => {
    const good = fake('hashed');
    const file = flow('hashed', { a: step({ program: good.program }) });
    expect((await trust(file)).status).toBe(0);
    // Control: as it was trusted, it runs.
    expect(await execute('hashed')).toContain('completed');
    expect(started(good)).toBe(1);
    appendFileSync(good.program, '\n// changed\n');
    expect(await execute('hashed')).toContain('There is no workflow');
    expect(started(good)).toBe(1);
  });

  it('[15.30] is refused if agents can write to it, even behind a link or on PATH', async () => {
    const inside = fake('evil.sh', place.workspace);
    symlinkSync(inside.program, join(tools, 'link'));
    for (const program of [inside.program, './evil.sh', join(tools, 'link')]) {
      const refused = await trust(flow('inside', { a: step({ program }) }));
      expect(refused.status).toBe(2);
      expect(refused.stderr).toContain('agents can write the program');
    }
    const file = flow('inside', { a: step({ program: 'evil.sh' }) });
    const env = { ...place.env, PATH: `${place.workspace}:${place.env['PATH'] ?? ''}` };
    const onPath = await place.run1(['trust', file, '--yes'], { env });
    expect(onPath.stderr).toContain('agents can write the program');
    expect(await execute('inside')).toContain('There is no workflow');
    // Control: the same program outside of the workspace is taken.
    expect((await trust(flow('inside', { a: step({ program: fake('outside').program }) }))).status).toBe(0);
  });
});

it('[15.31] a working directory chosen by an input cannot be trusted', async () => {
  const inputs = [{ name: 'where', required: true }];
  const command = (dir: string) => ({ type: 'command', command: 'pwd', dir, on_success: 'done' });
  const refused = await trust(flow('folder', { a: command('{{.inputs.where}}') }, { inputs }));
  expect(refused.status).toBe(2);
  expect(refused.stderr).toContain('which folder commands run in');
  // Control: a folder that the file names is taken.
  expect((await trust(flow('folder', { a: command('.') }, { inputs }))).status).toBe(0);
});

describe('an option that decides what is started or where a key is sent', () => {
  const inputs = [{ name: 'x', required: true }];
  const first = { type: 'command', command: 'echo x', on_success: 'b' };

  it.each(['program', 'base_url', 'api_key_env'])(
    '[15.30] cannot be trusted if %s comes from an input, a result, a loop, a template or a caller',
    async (key) => {
      const chosen = (text: string): object => step({ base_url: 'http://127.0.0.1:9', [key]: text });
      place.file(
        '.tidegate/templates/made.yaml',
        JSON.stringify({
          name: 'made',
          parameters: [{ name: 'by' }],
          states: { made: chosen('{{.parameters.by}}') },
        }),
      );
      flow('below', { a: chosen('{{.inputs.x}}') }, { inputs });
      const flows: readonly (readonly [object, object?])[] = [
        [{ a: chosen('{{.inputs.x}}') }, { inputs }],
        [{ a: chosen('{{index $ "inputs" "x"}}') }, { inputs }],
        [{ a: chosen('{{with .inputs}}{{.x}}{{end}}') }, { inputs }],
        [{ a: first, b: chosen('{{.states.a.Output}}') }],
        [
          {
            a: { type: 'for_each', items: ['x'], body: ['b'], on_complete: 'done' },
            b: { ...chosen('{{.loop.Item}}'), on_success: 'a' },
          },
        ],
        [
          { a: { use_template: 'made', parameters: { by: '{{.inputs.x}}' }, on_success: 'done' } },
          { inputs },
        ],
        [
          {
            a: {
              type: 'call_workflow',
              workflow: 'below',
              inputs: { x: '{{.inputs.x}}' },
              on_success: 'done',
            },
          },
          { inputs },
        ],
      ];
      for (const [states, more] of flows) {
        const { status, stderr } = await trust(flow('chosen', states, more));
        expect(stderr, JSON.stringify(states)).toContain('Nothing was trusted: ');
        expect(stderr, JSON.stringify(states)).toMatch(
          /determines (?:which program|where the API key|which environment variable)|the workflow has errors/,
        );
        expect(status).toBe(2);
      }
      expect(await execute('chosen', { x: '/bin/sh' })).toContain('There is no workflow');
    },
  );

  it('[15.30] can be trusted if it is literal, or comes from the environment of the operator', async () => {
    const file = flow('written', { a: step({ base_url: '{{.env.MODEL_URL}}', api_key_env: 'A_KEY' }) });
    expect((await trust(file)).status).toBe(0);
  });
});

describe('a step whose agent keeps its own tools', () => {
  it('[15.32] is refused in a run that an agent started, before anything runs', async () => {
    const native = fake('native');
    const weakened = { tidegate: { tools: ['Read'], allow_native: true } };
    const additive = { mcp_proxy: { enable: true, intercept_builtins: false, plugin_tools: [] } };
    for (const more of [{ tidegate: undefined }, weakened, additive]) {
      rmSync(join(place.workspace, 'begun'), { force: true });
      const states = {
        a: { type: 'command', command: 'touch begun', on_success: 'b' },
        b: step({ program: native.program }, more),
      };
      expect((await trust(flow('native', states))).status).toBe(0);
      const said = await execute('native');
      expect(said).toContain('Agents cannot run this workflow');
      expect(said).toContain('not_isolated');
      expect(existsSync(join(place.workspace, 'begun'))).toBe(false);
      expect(started(native)).toBe(0);
    }
    // Control: the operator may run it, and then its agent starts.
    const states = { a: step({ program: native.program }, { tidegate: undefined }) };
    expect((await place.run1(['run', flow('native', states)])).status).toBe(0);
    expect(started(native)).toBe(1);
  });

  it('[15.32] is refused if the provider is known only at run time', async () => {
    const native = fake('late');
    const states = {
      a: step({ program: native.program }, { provider: '{{.inputs.by}}', tidegate: undefined }),
    };
    const inputs = [{ name: 'by', required: true }];
    expect((await trust(flow('late', states, { inputs }))).status).toBe(0);
    expect(await execute('late', { by: 'claude' })).toContain(
      'is not isolated: its agent keeps its own tools',
    );
    expect(started(native)).toBe(0);
    expect((await place.run1(['run', 'late', '-i', 'by=claude'])).status).toBe(0);
    expect(started(native)).toBe(1);
  });
});

describe('a run that an agent started', () => {
  const idOf = (said: string): string => /\d{8}-\d{6}-[0-9a-f]{6}/.exec(said)?.[0] ?? '';
  const at = (name: string): string => join(place.workspace, name);
  const resume = (id: string, ...more: readonly string[]): ReturnType<FlowPlace['run1']> =>
    place.run1(['run', '--resume', id, ...more]);

  it('[15.33] can be resumed by the operator only with trusted files', async () => {
    place.file('.tidegate/scripts/last.sh', 'echo trusted > laundered');
    const file = flow('launder', {
      a: { type: 'command', command: 'test -f go', on_success: 'b' },
      b: { type: 'command', script_file: 'last.sh', on_success: 'done' },
    });
    expect((await trust(file)).status).toBe(0);
    const id = idOf(await execute('launder'));
    place.file('go', '');
    place.file('.tidegate/scripts/last.sh', 'echo evil > laundered');
    for (const more of [[], ['--take-over']]) {
      const refused = await resume(id, ...more);
      expect(refused.status).toBe(6);
      expect(refused.stderr).toContain('run.untrusted');
      expect(refused.stderr).toContain(`agent:small started run ${id}`);
      expect(refused.stderr).toContain(`tidegate trust ${file}`);
      expect(existsSync(at('laundered'))).toBe(false);
    }
    // Control: with the files that were trusted it goes on; a run of the operator goes on with any.
    place.file('.tidegate/scripts/last.sh', 'echo trusted > laundered');
    expect((await resume(id)).status).toBe(0);
    expect(readFileSync(at('laundered'), 'utf8')).toBe('trusted\n');
    rmSync(at('go'));
    const own = idOf((await place.run1(['run', 'launder', '--json'])).stdout);
    place.file('go', '');
    place.file('.tidegate/scripts/last.sh', 'echo changed > laundered');
    expect((await resume(own)).status).toBe(0);
    expect(readFileSync(at('laundered'), 'utf8')).toBe('changed\n');
    rmSync(at('go'));
    place.file('.tidegate/scripts/last.sh', 'echo trusted > laundered');
  });

  it('[15.33] keeps the rights of the agent, unless the operator takes it over', async () => {
    const model = await openScriptedModel(() => ({ say: 'x' }));
    const states = {
      a: { type: 'command', command: 'test -f go', on_success: 'b' },
      b: { ...agentStep(model.url, { tidegate: { tools: ['*'] } }), on_success: 'c' },
      c: { type: 'command', command: 'test -f gone', on_success: 'done' },
    };
    expect((await trust(flow('rights', states))).status).toBe(0);
    const ids = [idOf(await execute('rights')), idOf(await execute('rights'))];
    place.file('go', '');
    await resume(ids[0] ?? '');
    expect(model.requests).toHaveLength(1);
    expect(model.requests[0]?.tools).toContain('Read');
    expect(model.requests[0]?.tools).not.toContain('Bash');
    // Control: with the rights of the operator the same step has all tools.
    await resume(ids[1] ?? '', '--take-over');
    expect(model.requests[1]?.tools).toContain('Bash');
    const journal = join(place.env['TIDEGATE_HOME'] ?? '', 'runs', ids[1] ?? '', 'journal.jsonl');
    expect(readFileSync(journal, 'utf8')).toContain('"takenOverBy":"user:');
    rmSync(at('go'));
    await model.close();
  });

  it('[15.33] cannot bypass the gateway after a resume, unless it is taken over', async () => {
    const native = fake('resumed');
    const states = {
      a: { type: 'command', command: 'test -f go', on_success: 'b' },
      b: step({ program: native.program }, { provider: '{{.inputs.by}}', tidegate: undefined }),
    };
    const inputs = [{ name: 'by', default: 'claude' }];
    expect((await trust(flow('resumed', states, { inputs }))).status).toBe(0);
    const id = idOf(await execute('resumed'));
    place.file('go', '');
    const kept = await resume(id);
    expect(kept.stdout + kept.stderr).toContain('EXECUTION.AGENT.NOT_ISOLATED');
    expect(started(native)).toBe(0);
    expect((await resume(id, '--take-over')).status).toBe(0);
    expect(started(native)).toBe(1);
    rmSync(at('go'));
  });

  it('[15.33] does not continue with the rights of an agent that may no longer run workflows', async () => {
    const states = {
      a: { type: 'command', command: 'test -f go', on_success: 'b' },
      b: { type: 'command', command: 'touch went-on', on_success: 'done' },
    };
    expect((await trust(flow('revoked', states))).status).toBe(0);
    const ids = [idOf(await execute('revoked')), idOf(await execute('revoked'))];
    place.file('go', '');
    expect((await place.run1(['revoke', 'agent:small', 'execute_workflow'])).status).toBe(0);
    const refused = await resume(ids[0] ?? '');
    expect([refused.status, refused.stderr]).toEqual([
      expect.any(Number),
      expect.stringContaining('run.revoked'),
    ]);
    expect(refused.status).not.toBe(0);
    expect(refused.stderr).toContain('--take-over');
    expect(existsSync(at('went-on'))).toBe(false);
    // Controls: the operator takes it over, or gives the right back.
    expect((await resume(ids[0] ?? '', '--take-over')).status).toBe(0);
    expect(existsSync(at('went-on'))).toBe(true);
    await place.run1(['grant', 'agent:small', 'execute_workflow']);
    expect((await resume(ids[1] ?? '')).status).toBe(0);
    rmSync(at('go'));
  });

  it('[15.33] is listed and shown with the agent that started it', async () => {
    const id = idOf(await execute('launder'));
    const [list, show] = [await place.run1(['runs', 'list']), await place.run1(['runs', 'show', id])];
    expect(list.stdout).toMatch(new RegExp(`${id}.*agent:small`));
    expect(list.stdout).toMatch(/launder +user:/);
    expect(show.stdout).toContain('by agent:small');
    expect((await place.run1(['runs', 'show', id, '--json'])).stdout).toContain(
      '"started_by": "agent:small"',
    );
  });

  it('[15.33] cannot continue if the record of that agent is damaged', async () => {
    const id = idOf(await execute('launder'));
    const file = join(place.env['TIDEGATE_HOME'] ?? '', 'runs', id, 'journal.jsonl');
    const before = readFileSync(file, 'utf8');
    chmodSync(file, 0o600);
    for (const [from, to] of [
      ['"rights":"own"', '"rights":"most"'],
      ['"startedBy":"agent:small",', ''],
    ] as const) {
      expect(before).toContain(from);
      rmSync(file);
      appendFileSync(file, before.replace(from, to));
      expect((await resume(id)).stderr).toContain('run.broken');
    }
  });
});
