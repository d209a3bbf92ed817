import { describe, expect, it } from 'vitest';
import { cardOf } from '../../core/index.js';
import type { ToolModule } from '../../ports/tool-module.js';
import type { BackgroundReport, Shell, ShellCommand, ShellResult } from '../../ports/shell.js';
import { createFakeExchange } from '../../testing/index.js';
import bash from './bash.tool.js';
import bashOutput from './bash-output.tool.js';
import killBash from './kill-bash.tool.js';

const result: ShellResult = {
  stdout: 'out\n',
  stderr: '',
  truncated: false,
  isFileComplete: true,
  bytes: 4,
  exitCode: 0,
  timedOut: false,
  durationMs: 12,
  sandbox: 'bubblewrap',
  cwd: '/ws',
  leftovers: 0,
  hasSurvivors: false,
  createdPaths: [],
  changedPaths: [],
  undonePaths: [],
};
const report: BackgroundReport = { ...result, id: 'bash_1', command: 'make', state: 'running' };

describe('Bash', () => {
  it('returns output, exit status and environment as data and as text', async () => {
    expect(await call(bash, { command: 'x' }, {})).toEqual({
      data: {
        stdout: 'out\n',
        stderr: '',
        truncated: false,
        exit_code: 0,
        timed_out: false,
        duration_ms: 12,
        sandbox: 'bubblewrap',
        cwd: '/ws',
      },
      text: 'out\n[12 ms · sandbox: bubblewrap · cwd: /ws]',
    });
  });

  it('starts with the exit code of a failed command, and keeps both streams', async () => {
    const { text, data } = await call(
      bash,
      { command: 'x' },
      { stderr: 'bad\n', exitCode: 137, signal: 'SIGKILL' },
    );
    expect(text).toBe('Exit code 137 (SIGKILL)\nout\nstderr:\nbad\n[12 ms · sandbox: bubblewrap · cwd: /ws]');
    expect(data).toMatchObject({ exit_code: 137, signal: 'SIGKILL', stdout: 'out\n', stderr: 'bad\n' });
  });

  it('reports timeouts, leftover and surviving processes, and the output file', async () => {
    const odd = {
      timedOut: true,
      leftovers: 2,
      hasSurvivors: true,
      truncated: true,
      outputFile: '.tidegate/output/f',
    };
    const { text, data } = await call(bash, { command: 'x' }, { ...odd, sandbox: 'none' });
    expect(text).toContain('Timed out after 12 ms');
    expect(text).toContain('2 processes left running were stopped');
    expect(text).toContain('could not be stopped');
    expect(text).toContain('The full output is in .tidegate/output/f');
    expect(text).toContain('sandbox: none');
    expect(data).toMatchObject({
      timed_out: true,
      ended_processes: 2,
      output_file: '.tidegate/output/f',
      output_file_complete: true,
      sandbox: 'none',
    });
    expect((await call(bash, { command: 'x' }, { ...odd, isFileComplete: false })).text).toContain(
      'too long to save',
    );
    expect((await call(bash, { command: 'x' }, { truncated: true })).text).toContain('could not be saved');
  });

  it('warns about changes to protected files', async () => {
    const odd = { createdPaths: ['.mcp.json', '.envrc'], changedPaths: ['.git/config'] };
    const { text, data } = await call(bash, { command: 'x' }, { ...odd, undonePaths: ['.git/commondir'] });
    expect(data).toMatchObject({
      created_configurations: odd.createdPaths,
      changed_configurations: odd.changedPaths,
      undone_configurations: ['.git/commondir'],
    });
    for (const line of [
      'NAME.undone-1: .git/commondir.',
      'commands: .mcp.json, .envrc.',
      'commands: .git/config.',
    ])
      expect(text).toContain(`${line} Tell the operator.`);
    expect(text.match(/WARNING/g)).toHaveLength(3);
  });

  it('accepts a timeout in milliseconds, or in seconds under the other name', async () => {
    const orders: ShellCommand[] = [];
    for (const input of [
      {},
      { timeout: 500 },
      { timeout_seconds: 2.5 },
      { timeout: 7, timeout_seconds: 9 },
    ]) {
      await call(bash, { command: 'x', ...input }, {}, orders);
    }
    expect(orders.map(({ timeoutMs }) => timeoutMs)).toEqual([120_000, 500, 2500, 7]);
  });

  it('starts in the background without waiting', async () => {
    const { data, text } = await call(bash, { command: 'x', cwd: 'sub', run_in_background: true }, {});
    expect(data).toMatchObject({
      background_id: 'bash_1',
      stdout: '',
      timed_out: false,
      sandbox: 'bubblewrap',
    });
    expect(text).toContain('bash_1');
  });
});

describe('BashOutput and KillBash', () => {
  it('return new output, and whether the command is still running', async () => {
    const { data, text } = await call(bashOutput, { bash_id: 'bash_1', filter: 'o' }, {});
    expect(data).toMatchObject({
      background_id: 'bash_1',
      status: 'running',
      stdout: 'out\n',
      command: 'make',
    });
    expect(data).not.toHaveProperty('exit_code');
    expect(text).toBe('bash_1 running: make\nout\n[12 ms · sandbox: bubblewrap · cwd: /ws]');
  });

  it('report the exit status', async () => {
    const { data, text } = await call(killBash, { shell_id: 'bash_1' }, {});
    expect(data).toMatchObject({ status: 'killed', exit_code: 143, signal: 'SIGTERM' });
    expect(text).toContain('bash_1 killed: make\nExit code 143 (SIGTERM)\n(no new output)');
  });
});

it('all three have a complete card', () => {
  for (const tool of [bash, bashOutput, killBash]) expect(cardOf(tool).tier).toBe(3);
  expect(cardOf(bash).hints).toMatchObject({ readOnly: false, destructive: true, openWorld: true });
  expect(cardOf(bashOutput).hints).toMatchObject({ readOnly: true, destructive: false });
});

interface Given {
  readonly data: Readonly<Record<string, unknown>>;
  readonly text: string;
}

async function call(
  tool: ToolModule,
  input: Readonly<Record<string, unknown>>,
  change: Partial<ShellResult>,
  orders: ShellCommand[] = [],
): Promise<Given> {
  const shell: Shell = {
    roots: ['/ws'],
    run: async (order) => (orders.push(order), { ...result, ...change }),
    stream: async () => ({ exitCode: 0, sandbox: 'bubblewrap' }),
    start: async () => ({ id: 'bash_1', sandbox: 'bubblewrap', cwd: '/ws' }),
    poll: async () => report,
    stop: async () => ({ ...report, stdout: '', state: 'killed', end: { exitCode: 143, signal: 'SIGTERM' } }),
  };
  const principal = { kind: 'user', id: 'u', zone: 'local' } as const;
  const session = { id: 's', principal, scope: 'connection' } as const;
  const validated = await tool.input['~standard'].validate(input);
  if (validated.issues) throw new Error(JSON.stringify(validated.issues));
  const context = { exchange: createFakeExchange(), session, ports: { shell } };
  const given = (await tool.run(validated.value as never, context as never)) as Given;
  const checked = await tool.output?.['~standard'].validate(given.data);
  expect(checked?.issues).toBeUndefined();
  return given;
}
