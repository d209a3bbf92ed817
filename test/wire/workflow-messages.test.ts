import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { done, type FlowPlace, openFlowPlace } from '../support/flow.js';

// Messages and exit statuses of the workflow commands when something is wrong.

let place: FlowPlace;
beforeAll(() => {
  place = openFlowPlace();
  place.file('.tidegate/workflows/deploy.yaml', JSON.stringify({ name: 'deploy', ...echo('hi') }));
});
afterAll(() => place.close());

function echo(word: string): object {
  return {
    inputs: [{ name: 'target' }, { name: 'region' }],
    states: { initial: 'a', a: { type: 'command', command: `echo ${word}`, on_success: 'done' }, done },
  };
}

describe('unknown names', () => {
  it.each([
    ['run deplyo', 'Unknown workflow: "deplyo". Did you mean "deploy"?'],
    ['run zzz', 'Unknown workflow: "zzz". Available: deploy.'],
    ['run deplyo --dry-run', 'Did you mean "deploy"?'],
    ['validate deplyo', 'Did you mean "deploy"?'],
    ['run --resume 20260101-000000-abcdef', 'Unknown run: "20260101-000000-abcdef".'],
    ['runs show 20260101-000000-abcdef', 'Unknown run: "20260101-000000-abcdef".'],
    ['run deploy --step b', 'The workflow has no step "b".'],
    ['run deploy -i zone=x', 'Unknown input "zone". Available: target, region.'],
    ['run deploy -i regio=x', 'Unknown input "regio". Did you mean region?'],
  ])('%s exits with status 1 and lists what is available', async (words, said) => {
    const { status, stderr } = await place.run1(words.split(' '));
    expect(stderr).toContain(said);
    expect(status).toBe(1);
  });

  it('are reported together, after the results for the others', async () => {
    const { status, stdout, stderr } = await place.run1(['validate', 'deploy', 'one', 'two']);
    expect(stdout).toContain('deploy: valid');
    expect(stderr).toContain('"one", "two"');
    expect(status).toBe(1);
    const json = await place.run1(['validate', 'deploy', 'one', '--json']);
    expect(JSON.parse(json.stdout)).toMatchObject({ valid: false, missing: ['one'] });
    expect(json.status).toBe(1);
  });
});

describe('options of run', () => {
  it.each([
    ['run deploy --profile minimla', 'Did you mean "minimal"?'],
    ['run deploy --role nope', 'Unknown profile "nope".'],
    ['run deploy --dry-run --profile minimla', 'Did you mean "minimal"?'],
    ['run --agent openai --prompt hi --profile minimla', 'Did you mean "minimal"?'],
  ])('that name an unknown profile start nothing: %s', async (words, said) => {
    const { status, stdout, stderr } = await place.run1([...words.split(' '), '-i', 'target=made.txt']);
    expect(stderr).toContain('error access.unknown_profile');
    expect(stderr).toContain(said);
    expect(stderr).toContain('next: tidegate profile list\n');
    expect([status, stdout]).toEqual([3, '']);
  });

  it.each([
    ['run deploy --model x', '--model has no effect without --agent.'],
    ['run deploy --tools Read', '--tools has no effect without --agent.'],
    ['run deploy --mock states.a.Output=1', '--mock has no effect without --step.'],
    [
      'run deploy --profile minimal',
      'the profile minimal has no effect because the workflow has no agents or operations',
    ],
  ])('that have no effect are reported: %s', async (words, said) => {
    const { status, stderr } = await place.run1(words.split(' '));
    expect(stderr).toContain(said);
    expect(status).toBe(0);
    // The control: without the option there is no message.
    expect((await place.run1(['run', 'deploy'])).stderr).not.toContain(said);
  });

  it('that exclude each other, or are not a URL, start nothing', async () => {
    const both = await place.run1(['run', 'deploy', '--profile', 'minimal', '--role', 'minimal']);
    expect(both.stderr).toContain('error usage.exclusive');
    const dry = await place.run1(['run', '--resume', '20260101-000000-abcdef', '--dry-run']);
    expect(dry.stderr).toContain('next: tidegate runs show 20260101-000000-abcdef\n');
    const address = await place.run1(['run', '--agent', 'openai', '--prompt', 'hi', '--base-url', 'nowhere']);
    expect(address.stderr).toContain('error usage.bad_value: --base-url');
    expect([both.status, dry.status, address.status]).toEqual([2, 2, 2]);
  });
});

describe('an agent that is not installed', () => {
  it('is reported with the install command first, then the resume command, as text and as JSON', async () => {
    const env = { ...place.env, PATH: '/usr/bin:/bin' };
    const words = ['run', '--agent', 'claude', '--prompt', 'hi'];
    const install = 'npm install -g @anthropic-ai/claude-code';
    const { stderr, status } = await place.run1(words, { env });
    expect(stderr).toMatch(new RegExp(`^next: ${install}\nthen: tidegate run --resume \\S+\n$`));
    expect(status).toBe(3);
    const said = JSON.parse((await place.run1([...words, '--json'], { env })).stdout) as {
      readonly run: string;
    };
    expect(said).toMatchObject({ next: install, then: `tidegate run --resume ${said.run}` });
    const exec = await place.run1(['exec', 'claude'], { env });
    expect(exec.stderr).toContain(`next: ${install}\n`);
  });
});

describe('a workflow with errors', () => {
  const broken = {
    name: 'broken',
    states: { initial: 'a', a: { type: 'command', command: 'x', on_success: 'b' } },
  };

  it('is not started, and the next command names its file', async () => {
    const file = place.file('broken.yaml', JSON.stringify(broken));
    const { status, stderr } = await place.run1(['run', 'broken.yaml']);
    expect(status).toBe(2);
    expect(stderr).toContain(`next: tidegate validate ${file}`);
  });

  it('cannot be trusted, and every error is reported', async () => {
    const file = place.file('.tidegate/workflows/broken.yaml', JSON.stringify(broken));
    const { status, stderr } = await place.run1(['trust', file, '--yes']);
    expect(status).toBe(2);
    expect(stderr).toContain('There is no state "b".');
    expect(stderr).toContain('Nothing was trusted: the workflow has errors.');
    // The control: without the error it is trusted, and its warnings are reported.
    place.file(
      '.tidegate/workflows/broken.yaml',
      JSON.stringify({
        name: 'broken',
        inputs: [{ name: 'x' }],
        states: {
          initial: 'a',
          a: { type: 'command', command: 'echo {{.inputs.x}}', on_success: 'done' },
          done,
        },
      }),
    );
    const mended = await place.run1(['trust', file, '--yes']);
    expect(mended.status).toBe(0);
    expect(mended.stderr).toContain('UNSAFE_COMMAND');
  });
});

describe('a failed step', () => {
  it('is explained once, without a terminal', async () => {
    const file = place.file(
      'fails.yaml',
      JSON.stringify({
        name: 'fails',
        states: {
          initial: 'a',
          a: { type: 'command', command: 'echo why >&2; exit 3', on_success: 'done' },
          done,
        },
      }),
    );
    const { stdout, status } = await place.run1(['run', file]);
    expect(status).toBe(3);
    expect(stdout.match(/status 3: why/g)).toHaveLength(1);
  });
});

describe('a resumed run', () => {
  const flow = (check: string, word: string): object => ({
    name: 'again',
    states: {
      initial: 'a',
      a: { type: 'command', command: 'echo a >> again.txt; pwd', on_success: 'b' },
      b: { type: 'command', command: `${check}; echo ${word} >> again.txt; pwd`, on_success: 'done' },
      done,
    },
  });

  it('reports that its file changed, keeps completed steps, and continues with the new version', async () => {
    const first = await place.flow(flow('exit 1', 'x'));
    const file = place.file('flow-1.yaml', JSON.stringify(flow('true', 'mended')));
    const elsewhere = join(place.directory, 'elsewhere');
    mkdirSync(elsewhere);
    const again = await place.run1(['run', '--resume', first.result.run, '--json'], { cwd: elsewhere });
    expect([again.status, again.stderr]).toEqual([
      0,
      expect.stringContaining('has changed since the run started'),
    ]);
    expect(again.stderr).toContain(file);
    expect(readFileSync(join(place.workspace, 'again.txt'), 'utf8')).toBe('a\nmended\n');
    // It continued in its original folder, not where it was resumed.
    const { steps } = JSON.parse(again.stdout) as { readonly steps: readonly { readonly output: string }[] };
    expect(steps.map(({ output }) => output)).toEqual([place.workspace, place.workspace]);
    expect(existsSync(join(elsewhere, 'again.txt'))).toBe(false);
  });

  it('reports that a template of its steps changed', async () => {
    const template = (command: string): string =>
      place.file(
        'templates/made.yaml',
        JSON.stringify({ name: 'made', states: { made: { type: 'command', command } } }),
      );
    template('exit 1');
    const states = { initial: 'a', a: { use_template: 'made', on_success: 'done' }, done };
    const first = await place.flow({ states });
    expect(first.status).toBe(3);
    template('true');
    const again = await place.run1(['run', '--resume', first.result.run]);
    expect([again.status, again.stderr]).toEqual([
      0,
      expect.stringContaining('has changed since the run started'),
    ]);
  });

  it('reports no change if nothing changed', async () => {
    const first = await place.flow(flow('test -f ready || exit 1', 'x'));
    place.file('ready', '');
    const again = await place.run1(['run', '--resume', first.result.run]);
    expect([again.status, again.stderr]).toEqual([0, '']);
  });

  it('reports the total time of all its parts', async () => {
    const first = await place.flow(flow('test -f waited || { sleep 1; exit 1; }', 'x'));
    place.file('waited', '');
    expect((await place.run1(['run', '--resume', first.result.run])).status).toBe(0);
    const shown = await place.run1(['runs', 'show', first.result.run, '--json']);
    const { duration_ms: ms } = JSON.parse(shown.stdout) as { readonly duration_ms: number };
    expect(ms).toBeGreaterThan(1000);
    const listed = await place.run1(['runs', 'list', '--json']);
    const { runs } = JSON.parse(listed.stdout) as { readonly runs: readonly object[] };
    expect(runs).toContainEqual(expect.objectContaining({ id: first.result.run, duration_ms: ms }));
  });

  it('keeps its inputs: another value is refused, the same value and a secret are accepted', async () => {
    const states = {
      initial: 'a',
      a: { type: 'command', command: 'test -f allowed && echo "$who" "$api_token"', on_success: 'done' },
      done,
    };
    const inputs = [{ name: 'who' }, { name: 'api_token' }];
    const first = await place.flow({ inputs, states }, ['-i', 'who=Ann', '-i', 'api_token=one']);
    place.file('allowed', '');
    const resume = (...words: readonly string[]): ReturnType<typeof place.run1> =>
      place.run1(['run', '--resume', first.result.run, '--json', ...words]);
    const refused = await resume('-i', 'who=Zed', '-i', 'api_token=two');
    expect([refused.status, refused.stdout + refused.stderr]).toEqual([
      1,
      expect.stringContaining('cannot change it'),
    ]);
    const again = await resume('-i', 'who=Ann', '-i', 'api_token=two');
    expect(JSON.parse(again.stdout)).toMatchObject({ status: 'completed', steps: [{ output: 'Ann two' }] });
  });

  it('does nothing if it is already completed, and says so', async () => {
    const first = await place.flow({ ...flow('true', 'once'), outputs: { where: 'states.a.Output' } });
    const before = readFileSync(join(place.workspace, 'again.txt'), 'utf8');
    const again = await place.run1(['run', '--resume', first.result.run]);
    expect(again.status).toBe(0);
    expect(again.stdout).toContain(`Run ${first.result.run} has already completed.`);
    expect(again.stdout).toContain(`where: ${place.workspace}`);
    expect(readFileSync(join(place.workspace, 'again.txt'), 'utf8')).toBe(before);
  });

  it('uses the valid records of its journal, and ignores other lines', async () => {
    const first = await place.flow(flow('test -f set || exit 1', 'x'));
    const journal = join(first.result.folder, 'journal.jsonl');
    appendFileSync(journal, 'null\n7\n"x"\n[]\n{"kind":"st');
    place.file('set', '');
    expect((await place.run1(['runs', 'list'])).stdout).toContain(first.result.run);
    const again = await place.run1(['run', '--resume', first.result.run, '--json']);
    expect([again.status, again.stderr]).toEqual([0, '']);
    writeFileSync(join(place.workspace, 'again.txt'), '');
  });
});

describe('a step', () => {
  it('has the same name everywhere and is counted once', async () => {
    const say = { type: 'command', command: 'echo x' };
    const each = { type: 'for_each', items: [1, 2], body: ['build'], on_success: 'both' };
    const both = { type: 'parallel', parallel: ['left'], on_success: 'done' };
    const states = { initial: 'each', each, both, left: say, build: say, done };
    const file = place.file('names.yaml', JSON.stringify({ name: 'names', states }));
    const paths = ['each[0].build', 'each[1].build', 'each', 'both.left', 'both'];
    const ran = await place.run1(['run', file]);
    for (const path of paths) expect(ran.stdout).toContain(`ok ${path}:`);
    expect(ran.stdout).toContain('completed: 5 of 5 steps');
    const [, id = ''] = /Run started: (\S+)/.exec(ran.stdout) ?? [];
    const shown = (await place.run1(['runs', 'show', id])).stdout;
    for (const path of paths) expect(shown).toContain(`  ${path} `);
    const json = JSON.parse((await place.run1(['runs', 'show', id, '--json'])).stdout) as {
      readonly steps: readonly { readonly name: string; readonly path: string }[];
    };
    expect(json.steps.map(({ path }) => path)).toEqual(paths);
    expect(json.steps[0]?.name).toBe('build');
  });
});

describe('a typo', () => {
  it.each([
    ['echo {{inputs.targte}}', 'The input "targte" is not declared. Did you mean target?'],
    ['echo {{escap .inputs.target}}', 'Unknown function "escap". Did you mean escape?'],
    ['echo {{.sates.a.Output}}', 'Did you mean states?'],
    ['echo {{.workflow.Nmae}}', 'Did you mean Name?'],
  ])('in %s is reported with a suggestion', async (command, said) => {
    const states = { initial: 'a', a: { type: 'command', command, on_success: 'done' }, done };
    const file = place.file(
      'typo.yaml',
      JSON.stringify({ name: 'typo', inputs: [{ name: 'target' }], states }),
    );
    const { stdout, status } = await place.run1(['validate', file]);
    expect(stdout).toContain(said);
    expect(stdout).not.toContain('Use one that the message names');
    expect(status).toBe(2);
  });
});
