import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { answerLines, writeFakeAgent } from '../support/fake-agent.js';
import { done, type FlowPlace, openFlowPlace } from '../support/flow.js';

// What `validate`, `trust` and `--dry-run` say of agents that keep their own tools. What the agents then do is in
// test/agents/native-permissions.test.ts.

let place: FlowPlace;
let program: string;
beforeAll(() => {
  place = openFlowPlace();
  program = writeFakeAgent(place.directory, 'agent', { cli: 'claude', lines: answerLines('claude') }).program;
});
afterAll(() => place.close());

let count = 0;
function flow(options: object, more: object = {}, inputs: readonly object[] = []): string {
  count += 1;
  const a = { type: 'agent', provider: 'claude', prompt: 'go', options, on_success: 'done', ...more };
  return place.file(
    `.tidegate/workflows/natives-${String(count)}.yaml`,
    JSON.stringify({ name: 'x', inputs, states: { initial: 'a', a, done } }),
  );
}

async function validate(options: object, more: object = {}): Promise<string> {
  return (await place.run1(['validate', flow(options, more)])).stdout;
}

const refused = 'warning WORKFLOW.VALIDATION.NATIVE_REFUSED';

describe('validate', () => {
  it.each([
    ['nothing is set', {}, 'other commands are denied'],
    ['native_permissions is read', { native_permissions: 'read' }, 'all writes and commands are denied'],
    [
      'allowed_tools has no tool that writes',
      { allowed_tools: 'Read' },
      'all writes and commands are denied',
    ],
  ])('[16.18] warns if %s', async (_name, options, words) => {
    for (const provider of ['claude', 'gemini', 'opencode']) {
      const said = await validate(options, { provider });
      expect(said).toContain(refused);
      expect(said).toContain(words);
    }
  });

  it.each([
    { native_permissions: 'edit' },
    { native_permissions: 'full' },
    { dangerously_skip_permissions: true },
    { allowed_tools: 'Write' },
    { allowed_tools: ['Bash(git *)'] },
  ])('[16.18] does not warn with %j', async (options) => {
    for (const provider of ['claude', 'gemini', 'opencode'])
      expect(await validate(options, { provider })).not.toContain('warning');
  });

  it('[16.18] does not warn about commands in the sandbox of Codex, unless it cannot write', async () => {
    expect(await validate({}, { provider: 'codex' })).not.toContain('warning');
    expect(await validate({ native_permissions: 'read' }, { provider: 'codex' })).toContain(refused);
  });

  it('[16.18] reports rules that an agent does not support', async () => {
    const listed = { allowed_tools: ['Write', 'Bash(git status)', 'Nothing'] };
    const gemini = await validate(listed, { provider: 'gemini' });
    expect(gemini).toContain('Gemini CLI cannot allow "Bash(git status)"');
    expect(gemini).toContain('Gemini CLI cannot allow "Nothing"');
    expect(gemini).not.toContain('"Write"');
    const codex = await validate(listed, { provider: 'codex' });
    expect(codex).toContain('warning WORKFLOW.PARSE.IDLE_FIELD: Codex does not support a list of tools');
    expect(codex).toContain(refused);
  });

  it.each([
    [{ native_permissions: 'all' }, 'error WORKFLOW.PARSE.INVALID_VALUE'],
    [{ native_permissions: 'read', dangerously_skip_permissions: true }, 'error WORKFLOW.PARSE.CONFLICTING'],
    [{ allowed_tools: 'Bash(git' }, 'error WORKFLOW.PARSE.INVALID_VALUE'],
    [{ native_permissions: '{{.inputs.level}}' }, 'error WORKFLOW.PARSE.INVALID_VALUE'],
  ])('[16.18] refuses %j', async (options, words) => {
    expect(await validate(options)).toContain(words);
  });

  it('[16.18] says that the settings have no effect on an isolated step', async () => {
    const said = await validate(
      { native_permissions: 'full', dangerously_skip_permissions: true, allowed_tools: 'Write' },
      { mcp_proxy: { enable: true } },
    );
    expect(said.match(/warning WORKFLOW\.PARSE\.IDLE_FIELD/g)).toHaveLength(3);
    expect(said).not.toContain(refused);
  });
});

describe('the plan', () => {
  it.each([
    [{}, 'native permissions: edit: it may change files in the workspace'],
    [{ native_permissions: 'read' }, 'native permissions: read: it may read'],
    [{ dangerously_skip_permissions: true }, 'native permissions: full: it may change any file'],
    [
      { allowed_tools: ['Write', 'Bash(git *)'] },
      'read: it may read files but not change them; allowed_tools adds Write, Bash(git *)',
    ],
  ])('[16.18] shows what %j allows on the trust screen and with --dry-run', async (options, words) => {
    const file = flow({ ...options, program });
    for (const args of [
      ['run', file, '--dry-run'],
      ['trust', file, '--yes'],
    ]) {
      const { stdout, stderr } = await place.run1(args);
      expect((stdout + stderr).replaceAll(/\s+/g, ' ')).toContain(words);
    }
  });

  it('[16.18] shows none for an isolated step', async () => {
    const file = flow({ program }, { tidegate: { tools: ['Read'] } });
    expect((await place.run1(['run', file, '--dry-run'])).stdout).not.toContain('native permissions');
  });

  it('[16.18] cannot be trusted if an input selects the tools', async () => {
    const inputs = [{ name: 'tools', default: 'Bash' }];
    for (const allowed_tools of ['{{.inputs.tools}}', ['Read', '{{.inputs.tools}}']]) {
      const { status, stderr, stdout } = await place.run1([
        'trust',
        flow({ allowed_tools, program }, {}, inputs),
        '--yes',
      ]);
      expect(status).not.toBe(0);
      expect(stdout + stderr).toContain('which of its own tools the agent may use');
    }
    // The control.
    const trusted = await place.run1([
      'trust',
      flow({ allowed_tools: 'Bash', program }, {}, inputs),
      '--yes',
    ]);
    expect(trusted.status).toBe(0);
  });
});
