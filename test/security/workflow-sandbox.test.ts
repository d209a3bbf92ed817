import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { done, type FlowPlace, openFlowPlace } from '../support/flow.js';
import { waitFor } from '../support/gate.js';
import { findMarked, hasProc } from '../support/proc.js';
import { openStdioAgent, type StdioAgent } from '../support/stdio-agent.js';

const hasBubblewrap =
  hasProc && spawnSync('/usr/bin/bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true']).status === 0;

interface Case {
  readonly command: string;
  readonly files: Readonly<Record<string, string>>;
  /** The file that the agent writes. No reading of the command finds it. */
  readonly attack: string;
  /** Its new text, which leaves a mark outside of the workspace. */
  readonly evil: (mark: string) => string;
}

const shell = (mark: string): string => `#!/bin/sh\ntouch '${mark}'\necho ran\n`;
const bypasses: Readonly<Record<string, Case>> = {
  'a script behind cd in a subshell': {
    command: '(cd sub && ./x.sh)',
    files: { 'sub/x.sh': '#!/bin/sh\necho good\n' },
    attack: 'sub/x.sh',
    evil: shell,
  },
  'what a Makefile includes': {
    command: 'make -s go',
    files: { Makefile: 'include rules.txt\n', 'rules.txt': 'go:\n\techo good\n' },
    attack: 'rules.txt',
    evil: (mark) => `go:\n\ttouch '${mark}'; echo ran\n`,
  },
  'what a Perl script requires': {
    command: 'perl tool.pl',
    files: { 'tool.pl': 'require "./dep.inc"; print "good\\n";', 'dep.inc': '1;' },
    attack: 'dep.inc',
    evil: (mark) => `open(my $f, '>', '${mark}'); print "ran\\n"; 1;`,
  },
  'what a script sources beside itself': {
    command: './tool.sh',
    files: { 'tool.sh': '#!/bin/sh\n. "$(dirname $0)/dep"\necho good\n', dep: 'true\n' },
    attack: 'dep',
    evil: (mark) => `touch '${mark}'\necho ran\n`,
  },
  'scripts that a loop runs': {
    command: 'for one in jobs/*; do sh "$one"; done',
    files: { 'jobs/first': 'echo good\n' },
    attack: 'jobs/second',
    evil: (mark) => `touch '${mark}'\necho ran\n`,
  },
  'a script behind a condition': {
    command: 'if true; then sh "$PWD/jobs/first"; fi',
    files: { 'jobs/first': 'echo good\n' },
    attack: 'jobs/first',
    evil: (mark) => `touch '${mark}'\necho ran\n`,
  },
  'a script beside a command in the background': {
    command: 'true & sh jobs/f*',
    files: { 'jobs/first': 'echo good\n' },
    attack: 'jobs/first',
    evil: (mark) => `touch '${mark}'\necho ran\n`,
  },
  'a script that an option of git names': {
    command: "git -c alias.go='!sh jobs/f*' go",
    files: { 'jobs/first': 'echo good\n' },
    attack: 'jobs/first',
    evil: (mark) => `touch '${mark}'\necho ran\n`,
  },
  'a program that a constant PATH finds': {
    command: 'PATH=./bin:/usr/bin:/bin git --version',
    files: { 'bin/git': '#!/bin/sh\necho good\n' },
    attack: 'bin/git',
    evil: shell,
  },
  'a program that a variable of git names': {
    command: 'GIT_EXEC_PATH=bin git hello',
    files: { 'bin/git-hello': '#!/bin/sh\necho good\n' },
    attack: 'bin/git-hello',
    evil: shell,
  },
};
/** Commands without output of their own. */
const silent: Readonly<Record<string, Case>> = {
  'a file that a bundled option of curl names': {
    command: 'curl -sK fetch',
    files: { fetch: 'url = "file:///dev/null"\n' },
    attack: 'fetch',
    evil: (mark) => `url = "file:///dev/null"\noutput = "${mark}"\n`,
  },
  'a hook in a template of git': {
    command:
      'rm -rf /tmp/tidegate-template-test; git init -q --template tpl /tmp/tidegate-template-test && ' +
      'GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b git -C /tmp/tidegate-template-test commit -q --allow-empty -m x',
    files: { 'tpl/hooks/pre-commit': '#!/bin/sh\necho good\n' },
    attack: 'tpl/hooks/pre-commit',
    evil: shell,
  },
};

interface Ran {
  readonly status: string;
  readonly message?: string;
  readonly outputs: Readonly<Record<string, unknown>>;
  readonly steps: readonly { readonly name: string; readonly error?: string }[];
}

describe.skipIf(!hasBubblewrap)('[15.31] commands of a workflow that an agent starts', () => {
  let place: FlowPlace;
  let agent: StdioAgent | undefined;
  afterEach(async () => {
    await agent?.close();
    agent = undefined;
    place.close();
  });

  const builtins = ['Read', 'Write', 'Bash', 'execute_workflow'];
  const open = (config: object = {}, files: Readonly<Record<string, string>> = {}): void => {
    place = openFlowPlace({ builtins, ...config });
    for (const [name, text] of Object.entries(files)) {
      const path = place.file(name, text);
      if (text.startsWith('#!')) spawnSync('chmod', ['+x', path]);
    }
  };
  const trust = (file: string) => place.run1(['trust', file, '--yes']);
  const workflow = async (states: object, more: object = {}, name = 'go'): Promise<string> => {
    const file = place.file(
      `.tidegate/workflows/${name}.yaml`,
      JSON.stringify({ name, ...more, states: { initial: 'a', ...states, done } }),
    );
    const { status, stdout, stderr } = await trust(file);
    expect(stdout + stderr).toContain('rusted');
    expect(status).toBe(0);
    return file;
  };
  const step = (command: string, more: object = {}): object => ({
    type: 'command',
    command,
    on_success: 'done',
    ...more,
  });
  const outputOf = (name = 'a') => ({ outputs: [{ name: 'out', from: `states.${name}.Output` }] });
  const run = async (inputs: object = {}, as: readonly string[] = []): Promise<Ran> => {
    agent ??= await openStdioAgent(place, ...as);
    const { structured, text } = await agent.call('execute_workflow', { workflow: 'go', inputs });
    return {
      ...(structured as unknown as Ran),
      ...(structured['status'] === undefined && { message: text }),
    };
  };
  const mark = (): string => join(place.directory, 'escaped');
  const bash = async (command: string): Promise<void> => {
    agent ??= await openStdioAgent(place);
    expect((await agent.call('Bash', { command })).structured).toMatchObject({
      sandbox: 'bubblewrap',
      exit_code: 0,
    });
  };

  it.each(Object.entries(bypasses))('cannot leave the sandbox: %s', async (_name, one) => {
    open({}, one.files);
    const file = await workflow({ a: step(one.command) }, outputOf());
    expect((await run()).outputs['out']).toContain('good');
    await bash(`cat > ${one.attack} <<'END'\n${one.evil(mark())}END\n`);
    await run();
    expect(existsSync(mark())).toBe(false);
    // Control: the same files, run by the operator, are not held by a sandbox.
    await place.run1(['run', file]);
    expect(existsSync(mark())).toBe(true);
  });

  it('work as usual: folder, inputs, output, status, scripts, hooks, writes', async () => {
    open(
      {},
      { 'sub/here.txt': 'x', 'scripts/do.sh': '#!/bin/bash\necho "script $name in $(pwd)"; exit 0\n' },
    );
    const on = { on_success: 'b' };
    await workflow(
      {
        a: step('pwd; ls; echo "hi $name"; echo to-stderr >&2; cat', { ...on, dir: 'sub' }),
        b: step('', { command: undefined, script_file: 'scripts/do.sh', on_success: 'c' }),
        c: step('echo made > made.txt', {
          on_success: 'd',
          hooks: { post: [{ command: 'echo hooked > hooked.txt' }] },
        }),
        d: step('exit 7', { on_success: 'done', on_failure: 'e' }),
        e: step('echo "after {{.states.d.ExitCode}}"; head -c 3000 /dev/zero | tr "\\0" y', {
          capture: { stdout: 'big', max_size: 1000 },
        }),
      },
      {
        inputs: [{ name: 'name', type: 'string' }],
        outputs: [
          { name: 'a', from: 'states.a.Output' },
          { name: 'stderr', from: 'states.a.Stderr' },
          { name: 'b', from: 'states.b.Output' },
          { name: 'code', from: 'states.d.ExitCode' },
          { name: 'big', from: 'states.e.Output' },
        ],
      },
    );
    const { status, outputs, message } = await run({ name: 'n 1' });
    expect({ status, message }).toEqual({ status: 'completed' });
    const root = place.workspace;
    expect(outputs['a']).toBe(`${join(root, 'sub')}\nhere.txt\nhi n 1`);
    expect(outputs['stderr']).toBe('to-stderr');
    expect(outputs['b']).toBe(`script n 1 in ${root}`);
    expect(outputs['code']).toBe(7);
    expect(outputs['big']).toMatch(/bytes left out\]\ny{1000}$/);
    expect(existsSync(join(root, 'made.txt'))).toBe(true);
    expect(existsSync(join(root, 'hooked.txt'))).toBe(true);
  });

  it('do not get the variables of the operator; the commands of the operator do', async () => {
    open();
    const file = await workflow({ a: step('echo "[$DEPLOY_KEY]"') }, outputOf());
    const env = { ...place.env, DEPLOY_KEY: 'k1' };
    agent = await openStdioAgent({ ...place, env });
    expect((await run()).outputs['out']).toBe('[]');
    const { stdout } = await place.run1(['run', file, '--json'], { env: { DEPLOY_KEY: 'k1' } });
    expect(stdout).toContain('[k1]');
  });

  it('end at their timeout, and with the call', async () => {
    open();
    const nap = String(60_000 + process.pid);
    const isNapping = (): boolean => findMarked(`sleep\0${nap}`).length > 0;
    const naps = `sleep ${nap} & echo > started; sleep ${nap}`;
    await workflow({ a: step(naps, { timeout: 1 }) });
    const { steps } = await run();
    expect(steps[0]).toMatchObject({ name: 'a', code: 'EXECUTION.COMMAND.TIMEOUT' });
    expect(isNapping()).toBe(false);
    rmSync(join(place.workspace, 'started'));
    await workflow({ a: step(naps) });
    const running = run().catch(() => undefined);
    await waitFor(
      () => existsSync(join(place.workspace, 'started')) && isNapping(),
      20_000,
      () => 'it did not start',
    );
    await agent?.close();
    await running;
    await waitFor(
      () => !isNapping(),
      10_000,
      () => 'it did not end',
    );
  });

  it('follow shell.network, shell.limits and shell.sandbox', async () => {
    open({ shell: { network: false, limits: { memory: 64 } } });
    const eat = `node -e 'const all=[]; setInterval(() => all.push(Buffer.alloc(30e6, 1)), 20)'`;
    await workflow(
      {
        a: step('tail -n +3 /proc/net/dev | cut -d: -f1', { on_success: 'b' }),
        b: step(eat, { on_failure: 'done', on_success: 'done' }),
      },
      outputOf(),
    );
    const { outputs, steps } = await run();
    expect(String(outputs['out']).trim()).toBe('lo');
    expect(steps[1]?.error).toContain('64 MiB of memory');
  });

  it('are refused with a stable code if there is no sandbox, for principals other than the operator', async () => {
    open({ shell: { sandbox: 'off' } });
    await workflow({ a: step('echo ran > ran.txt') });
    await place.run1(['grant', 'agent:small', 'execute_workflow']);
    const { status, steps } = await run({}, ['--as', 'agent:small']);
    expect(status).toBe('failed');
    expect(steps[0]).toMatchObject({ code: 'EXECUTION.COMMAND.NO_SANDBOX' });
    expect(steps[0]?.error).toContain('shell.sandbox');
    expect(existsSync(join(place.workspace, 'ran.txt'))).toBe(false);
    // Control: the operator has Bash without a sandbox there, and so has a run of the operator's own agent.
    await agent?.close();
    agent = await openStdioAgent(place);
    expect((await run()).status).toBe('completed');
    expect(existsSync(join(place.workspace, 'ran.txt'))).toBe(true);
  });

  it('are sandboxed in called workflows and in resumed runs too', async () => {
    open();
    const leave = `touch '${mark()}'; test -e go-on`;
    await workflow({ a: step(leave) }, {}, 'inner');
    await workflow({ a: { type: 'call_workflow', workflow: 'inner', on_success: 'done' } });
    expect((await run()).status).toBe('failed');
    expect(existsSync(mark())).toBe(false);
    place.file('go-on', '');
    const [last] = (
      JSON.parse((await place.run1(['runs', 'list', '--json'])).stdout) as { runs: { id: string }[] }
    ).runs;
    const resumed = await place.run1(['run', '--resume', last?.id ?? '', '--json']);
    expect(resumed.stdout).toContain('completed');
    expect(existsSync(mark())).toBe(false);
  });
});

describe.skipIf(!hasBubblewrap)('[15.31] workflows.<name>.sandbox: off', () => {
  let place: FlowPlace;
  let agent: StdioAgent;
  afterEach(async () => {
    await agent.close();
    place.close();
  });
  const mark = (): string => join(place.directory, 'escaped');
  const open = (files: Readonly<Record<string, string>>, command: string): string => {
    place = openFlowPlace({
      builtins: ['Read', 'Write', 'Bash', 'execute_workflow'],
      workflows: { go: { sandbox: 'off' } },
    });
    for (const [name, text] of Object.entries(files)) {
      const path = place.file(name, text);
      if (text.startsWith('#!')) spawnSync('chmod', ['+x', path]);
    }
    const states = { initial: 'a', a: { type: 'command', command, on_success: 'done' }, done };
    return place.file('.tidegate/workflows/go.yaml', JSON.stringify({ name: 'go', states }));
  };
  const run = () => agent.call('execute_workflow', { workflow: 'go' });

  it('is on the trust screen, and needs a separate confirmation', async () => {
    const file = open({}, 'echo good');
    const { stdout } = place.run('trust', '--forget');
    expect(stdout).not.toBe('');
    expect(place.run('trust', '--yes', place.configFile).stdout).toMatch(/workflows\.go\s+sandbox {2}"off"/);
    const shown = await place.run1(['trust', file, '--yes']);
    expect(shown.stdout).toContain('outside the sandbox');
    // Without the key the same bytes are another decision.
    place.write({ builtins: ['execute_workflow'] });
    place.trust();
    expect((await place.run1(['trust', file, '--yes'])).stdout).not.toContain('Already trusted');
    agent = await openStdioAgent(place);
  });

  it.each([
    ['echo {{.inputs.word}}', false],
    ["echo '{{escape .inputs.word}}'", false],
    ['echo "for {{escape .inputs.word}}"', false],
    ['echo {{escape .inputs.word}}', false],
    ['echo {{with .inputs.word}}--branch {{.}}{{end}}', false],
    ['echo {{if $x := .inputs.word}}{{$x}}{{end}}', false],
    ['echo {{escape "x" | print .inputs.word}}', false],
    ['cat <<EOF\n{{escape .inputs.word}}\nEOF', false],
    ['{{"./mine.sh"}}', false],
    ['echo "$word" # it\'s\necho {{.inputs.count}}', true],
  ])('[15.31] does not run what an input inserts: %s', async (command, isSafe) => {
    const file = open({}, command);
    const inputs = [{ name: 'word' }, { name: 'count', type: 'integer', default: 1 }];
    const text = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...text, inputs }));
    expect(place.run('trust', '--yes', place.configFile).status).toBe(0);
    const trusted = await place.run1(['trust', file, '--yes']);
    expect(trusted.status === 0).toBe(isSafe);
    if (!isSafe && command.includes('.inputs'))
      expect(trusted.stdout + trusted.stderr).toContain('inputs.word is inserted into a command');
    agent = await openStdioAgent(place);
    const word = `a; touch ${mark()}; '; touch ${mark()}; '$(touch ${mark()})`;
    const { isError, text: answer } = await agent.call('execute_workflow', {
      workflow: 'go',
      inputs: { word },
    });
    expect(isError).toBe(!isSafe);
    if (isSafe) expect(answer).toContain('completed');
    expect(existsSync(mark())).toBe(false);
    // Control: in the sandbox, the author decides.
    place.write({ builtins: ['execute_workflow'] });
    place.trust();
    expect((await place.run1(['trust', file, '--yes'])).status).toBe(0);
  });

  it('[15.31] covers a program with the same name as a script file', async () => {
    const script = '#!/bin/sh\necho good\n';
    const file = open({ 'tool.sh': script, '.tidegate/scripts/tool.sh': script }, './tool.sh');
    const { states } = JSON.parse(readFileSync(file, 'utf8')) as { states: object };
    const b = { type: 'command', script_file: './tool.sh', on_success: 'a' };
    writeFileSync(file, JSON.stringify({ name: 'go', states: { ...states, initial: 'b', b } }));
    expect((await place.run1(['trust', file, '--yes'])).status).toBe(0);
    agent = await openStdioAgent(place);
    const edit = `printf '#!/bin/sh\\ntouch %s\\n' ${mark()} > tool.sh`;
    await agent.call('Bash', { command: edit });
    await run();
    expect(existsSync(mark())).toBe(false);
    // Control: outside the gateway, the file can be changed, and once it is trusted again it runs.
    writeFileSync(join(place.workspace, 'tool.sh'), `#!/bin/sh\ntouch ${mark()}\n`);
    expect((await place.run1(['trust', file, '--yes'])).status).toBe(0);
    await run();
    expect(existsSync(mark())).toBe(true);
  });

  it.each(Object.entries({ ...bypasses, ...silent }))('covers files it might run: %s', async (_name, one) => {
    const file = open(one.files, one.command);
    expect((await place.run1(['trust', file, '--yes'])).status).toBe(0);
    agent = await openStdioAgent(place);
    expect((await run()).structured).toMatchObject({ status: 'completed' });
    const command = `cat > ${one.attack} <<'END'\n${one.evil(mark())}END\n`;
    expect((await agent.call('Bash', { command })).structured).toMatchObject({ sandbox: 'bubblewrap' });
    expect((await run()).isError).toBe(true);
    expect(existsSync(mark())).toBe(false);
    // Control: once trusted, it runs outside of the sandbox.
    expect((await place.run1(['trust', file, '--yes'])).status).toBe(0);
    await run();
    expect(existsSync(mark())).toBe(true);
  });

  it('leaves unrelated files unlocked if every program can be followed', async () => {
    const file = open(
      { 'ops/go.sh': '#!/bin/sh\necho good\n', 'src/a.txt': '1' },
      './ops/go.sh && git --version',
    );
    expect((await place.run1(['trust', file, '--yes'])).status).toBe(0);
    agent = await openStdioAgent(place);
    place.file('src/a.txt', '2');
    expect((await run()).structured).toMatchObject({ status: 'completed' });
    // A new file beside the script is not unrelated.
    place.file('ops/dep', '1');
    expect((await run()).isError).toBe(true);
  });
});
