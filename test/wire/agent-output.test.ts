import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openScriptedModel } from 'tidegate/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerLines, nativeLines, writeFakeAgent } from '../support/fake-agent.js';
import { done, type FlowPlace, openFlowPlace } from '../support/flow.js';

// Terminal output of an agent run. The agent is a fake that never calls a model, so its isolation cannot be verified.

let place: FlowPlace;
let claude: string;
beforeAll(() => {
  place = openFlowPlace();
  claude = writeFakeAgent(place.directory, 'native', { cli: 'claude', lines: nativeLines('claude') }).program;
});
afterAll(() => place.close());

function step(program: string, more: object = {}): object {
  return {
    type: 'agent',
    provider: 'claude',
    prompt: 'go',
    options: { program },
    on_success: 'done',
    ...more,
  };
}

/** Outside the workspace, because Tidegate starts no agent from there. */
function programBeside(name: string, script: string): string {
  const program = join(place.directory, name);
  mkdirSync(dirname(program), { recursive: true });
  writeFileSync(program, script, { mode: 0o755 });
  return program;
}

async function run(a: object, args: readonly string[] = []) {
  const file = place.file('words.yaml', JSON.stringify({ name: 'words', states: { initial: 'a', a, done } }));
  return place.run1(['run', file, ...args]);
}

describe('an agent that keeps its own tools', () => {
  it('is announced before it runs, and its own tools are marked', async () => {
    const { stdout, status } = await run(step(claude));
    expect(stdout.indexOf('! a: claude keeps its own tools here')).toBeGreaterThan(0);
    expect(stdout).toContain('Add `mcp_proxy: {enable: true}` or a `tidegate:` block to remove them');
    expect(stdout.indexOf('keeps its own')).toBeLessThan(stdout.indexOf("a Bash (the agent's own tool) ok"));
    expect(status).toBe(0);
  });

  it('gets a short note if the step allows it, and none if it is isolated', async () => {
    const additive = {
      mcp_proxy: { enable: true, intercept_builtins: false },
      tidegate: { tools: ['Read'] },
    };
    const { stdout } = await run(step(claude, additive));
    expect(stdout).toContain('claude keeps its own tools here, and their calls bypass Tidegate.\n');
    const quiet = writeFakeAgent(place.directory, 'quiet', { cli: 'claude', lines: answerLines('claude') });
    const isolated = await run(step(quiet.program, { tidegate: { tools: ['Read'] } }));
    expect(isolated.stdout).not.toContain('keeps its own tools');
  });

  it('shows a tool that bypassed the gateway, if that is allowed', async () => {
    const { stdout, status } = await run(step(claude, { tidegate: { tools: ['Read'], allow_native: true } }));
    expect(stdout).toContain('! a: Bash bypassed Tidegate');
    expect(status).toBe(0);
  });
});

describe('the isolation test before the first run', () => {
  it('reports its result and the model; doctor shows them later too', async () => {
    const { program } = writeFakeAgent(place.directory, 'claude', {
      cli: 'claude',
      lines: answerLines('claude'),
      trialLines: nativeLines('claude'),
    });
    const options = { program, model: 'm-1' };
    const { stdout, status } = await run(step(program, { options, tidegate: { tools: ['Read'] } }));
    expect(stdout).toContain('Testing once whether Claude Code with the model m-1 can bypass Tidegate');
    expect(stdout).toContain('a: Claude Code of unknown version with the model m-1 leaks: Bash.');
    expect(status).toBe(3);
    const env = { ...place.env, PATH: `${place.directory}:${place.env['PATH'] ?? ''}` };
    const later = await place.run1(['doctor'], { env });
    expect(later.stdout).toMatch(/FAIL +Agents +Claude Code, m-1: leaks: Bash/);
    const { stderr } = await place.run1(['doctor', '--agent', 'claude', '--model', 'm-2'], { env });
    expect(stderr).toContain('with model m-2 …');
  });
});

describe('the records of an agent', () => {
  const isolated = { tidegate: { tools: ['Read'], allow_native: true } };

  it('contain the prompt, the model, the isolation, the usage and the calls', async () => {
    const options = { program: claude, model: 'm-1' };
    const states = {
      initial: 'a',
      a: step(claude, { options, system_prompt: 'be kind', ...isolated }),
      done,
    };
    const { result } = await place.flow({ states });
    const lines = place.transcript(result).map(({ type, payload }) => [type, payload] as const);
    const first = (wanted: string) => lines.find(([type]) => type === wanted)?.[1];
    expect(first('agent.started')).toEqual({
      provider: 'claude',
      model: 'm-1',
      isolation: 'full',
      system: 'be kind',
    });
    expect(first('agent.launched')).toMatchObject({ verdict: 'unprovable', program: claude });
    expect(first('message.user')).toMatchObject({ blocks: [{ type: 'text', text: 'go' }] });
    expect(result.steps[0]).toMatchObject({ tools: [{ name: 'Bash', calls: 1, is_native: true }] });
    const { stdout } = await place.run1(['runs', 'show', result.run]);
    expect(stdout).toMatch(
      / a +completed +\S+ m?s +15 tokens, \$0\.2500, called Bash \(the agent's own tool\)/,
    );
  });

  it('show the code of a failed step, and say if no step was completed', async () => {
    const { stdout, stderr, status } = await run(step('./nope', isolated));
    expect(stdout).toContain('options.program is "./nope", which is not an executable file.');
    expect(stderr).toContain('next: fix options.program');
    expect(stdout).toContain('failed: no steps completed');
    expect(status).toBe(3);
    const id = /Run (\S+) /.exec(stdout.split('\n').at(-2) ?? '')?.[1] ?? '';
    const shown = await place.run1(['runs', 'show', id]);
    expect(shown.stdout).toMatch(/ a +failed .*EXECUTION\.AGENT\.UNAVAILABLE: /);
  });

  it('match --dry-run, which shows the isolation and the conversation it continues', async () => {
    const b = step(claude, { conversation: { continue_from: 'a' } });
    const states = { initial: 'a', a: step(claude, { ...isolated, on_success: 'b' }), b, done };
    const file = place.file('two.yaml', JSON.stringify({ name: 'two', states }));
    const { stdout } = await place.run1(['run', file, '--dry-run']);
    expect(stdout).toContain('isolation: weakened by allow_native');
    expect(stdout).toContain('continues: a');
    expect(stdout).toContain('isolation: none. The agent keeps its own tools');
  });
});

describe('an agent without a workflow', () => {
  it('gets a warning about misspelled tools, including excluded ones', async () => {
    const model = await openScriptedModel([{ say: 'x' }]);
    const words = ['run', '--agent', 'openai', '--prompt', 'hi', '--model', 'm', '--base-url', model.url];
    const { stdout, stderr, status } = await place.run1([...words, '--tools', 'Raed,!Bsh,G*']);
    await model.close();
    expect(stdout).toContain('tools: no tool is called Raed. Did you mean "Read"?');
    expect(stdout).toContain('tools: no tool is called !Bsh. Did you mean "Bash"?');
    expect(stdout + stderr).not.toContain('called G*');
    expect(status).toBe(0);
    const plan = await place.run1([...words, '--tools', 'Raed', '--dry-run']);
    expect(plan.stderr).toContain('warning: No built-in tool matches "Raed". Did you mean Read?');
  });

  it('is refused if its name is unknown, without a position in a file that does not exist', async () => {
    const { status, stderr } = await place.run1(['run', '--agent', 'cluade', '--prompt', 'hi']);
    // The names of --help, the most similar one first.
    const names = 'Available: claude, openai, gemini, codex, opencode.';
    expect(stderr).toContain(`Unknown provider "cluade". ${names}`);
    expect(stderr).toContain('Did you mean claude?');
    expect(stderr).not.toContain('.yaml');
    expect(status).toBe(2);
  });
});

describe('the key of an agent for another endpoint', () => {
  const keys = { ANTHROPIC_API_KEY: 'k'.repeat(11), OPENAI_API_KEY: 'k'.repeat(22), MY_KEY: 'k'.repeat(33) };
  const script = '#!/bin/sh\necho "Not logged in, ${#ANTHROPIC_API_KEY} letters" >&2\nexit 1\n';

  async function ask(env: Readonly<Record<string, string>>, more: readonly string[] = []) {
    const program = programBeside('keys/claude', script);
    const path = `${dirname(program)}:${place.env['PATH'] ?? ''}`;
    const words = ['run', '--agent', 'claude', '--prompt', 'hi', '--base-url', 'http://127.0.0.1:9'];
    return place.run1([...words, ...more], { env: { ...place.env, ...env, PATH: path } });
  }

  it('is its own, as with exec; OPENAI_API_KEY is the fallback; --api-key-env takes precedence', async () => {
    const { MY_KEY: _, ANTHROPIC_API_KEY: own, ...common } = keys;
    const cases = [
      [{ ...common, ANTHROPIC_API_KEY: own }, [], 11, 'ANTHROPIC_API_KEY'],
      [common, [], 22, 'OPENAI_API_KEY'],
      [keys, ['--api-key-env', 'MY_KEY'], 33, 'MY_KEY'],
      [{}, [], 0, 'ANTHROPIC_API_KEY'],
    ] as const;
    for (const [env, more, letters, variable] of cases) {
      const { stdout, stderr } = await ask(env, more);
      expect(stdout).toContain(`Not logged in, ${String(letters)} letters`);
      expect(stderr).toContain(`next: set ${variable} to a valid API key`);
    }
  });
});

describe('an agent that cannot start', () => {
  it('is reported in one line, with the install command before the resume command', async () => {
    const script = '#!/bin/sh\nprintf "No binary.\\n\\nInstall it without --omit=optional.\\n" >&2\nexit 1\n';
    const program = programBeside('broken/claude', script);
    const env = { ...place.env, PATH: `${dirname(program)}:${place.env['PATH'] ?? ''}` };
    for (let time = 0; time < 2; time += 1) {
      const { stdout, stderr } = await place.run1(['run', '--agent', 'claude', '--prompt', 'hi'], { env });
      expect(stdout).toContain('exited with code 1: No binary. Install it without --omit=optional.\n');
      expect(stdout + stderr).not.toMatch(/\\u000a|optional\.\./);
      expect(stderr).toMatch(/next: reinstall it \(npm install .*\), then: tidegate doctor --agent claude\n/);
    }
  });
});

describe('an agent in an untrusted workspace', () => {
  it('has no server tools, and the note names the command that enables them', async () => {
    const servers = { late: { command: process.execPath, args: ['-e', ''] } };
    const file = place.file('sub/tidegate.yaml', JSON.stringify({ servers }));
    const quiet = writeFakeAgent(place.directory, 'calm', { cli: 'claude', lines: answerLines('claude') });
    const hint = `servers from an untrusted file are not started. Review it, then run: tidegate trust ${file}`;
    const wants = await run(step(quiet.program, { tidegate: { servers: ['late'] } }), ['--config', file]);
    expect(wants.stderr).toContain(hint);
    expect(wants.stdout).toContain('The server "late" is not ready (untrusted).');
    expect(wants.stderr).toContain('next: review the file that defines it, then: tidegate trust\n');
    expect(wants.status).toBe(3);
    // The control: a workflow without agents does not need it.
    const command = await run({ type: 'command', command: 'true', on_success: 'done' }, ['--config', file]);
    expect([command.stderr, command.status]).toEqual(['', 0]);
  });
});
