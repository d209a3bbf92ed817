import { execFileSync } from 'node:child_process';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { runGate } from '../support/run-program.js';

// A file that nobody trusted, or the absence of one that somebody did, gives agents nothing that they did not have.

let directory = '';
let env: Readonly<Record<string, string>> = {};

beforeEach(() => {
  directory = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-takeover-')));
  for (const folder of ['home/state', 'home/.config/tidegate', 'workspace/project', 'elsewhere'])
    mkdirSync(at(folder), { recursive: true, mode: 0o700 });
  env = { PATH: process.env['PATH'] ?? '', HOME: at('home'), TIDEGATE_HOME: at('home/state') };
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const at = (...names: readonly string[]): string => join(directory, ...names);
const project = (name = ''): string => at('workspace', 'project', name);

const strict = {
  builtins: ['Read', 'Glob'],
  access: { default_profile: 'none' },
  workspace: { roots: ['./allowed'] },
};
const wide = { builtins: ['*'], access: { default_profile: 'full' } };

function write(file: string, config: unknown): void {
  writeFileSync(file, typeof config === 'string' ? config : JSON.stringify(config));
}

async function run(args: readonly string[], cwd = project()): Promise<string> {
  const { status, stdout, stderr } = await runGate({ directory, env }, args, { cwd });
  if (status !== 0) throw new Error(`tidegate ${args.join(' ')}: ${String(status)} ${stderr}`);
  return stdout;
}

async function trusted(file: string, config: unknown): Promise<void> {
  write(file, config);
  await run(['trust', '--yes', file]);
}

interface Offer {
  readonly tools: readonly string[];
  readonly stderr: string;
  readonly status: number | null;
}

/** What an agent is offered over stdio by a gateway that starts now. */
async function offered(as: readonly string[], more: readonly string[] = []): Promise<Offer> {
  const hello = {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name: 'agent', version: '1' },
  };
  const lines = [
    { jsonrpc: '2.0', id: 1, method: 'initialize', params: hello },
    { jsonrpc: '2.0', method: 'notifications/initialized' },
    { jsonrpc: '2.0', id: 2, method: 'tools/list' },
  ];
  const input = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
  const { stdout, stderr, status } = await runGate({ directory, env }, ['mcp', ...as, ...more], {
    cwd: project(),
    input,
  });
  const answers = stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { readonly id?: number; readonly result?: unknown });
  const list = answers.find(({ id }) => id === 2)?.result as
    | { readonly tools: readonly { readonly name: string }[] }
    | undefined;
  return { tools: (list?.tools ?? []).map(({ name }) => name), stderr, status };
}

const asAna = ['--as', 'agent:ana'];

/** Neither an agent with its own name nor one that acts as the operator is offered more than before. */
async function expectStrict(sign: string): Promise<void> {
  const ana = await offered(asAna);
  expect(ana.tools).toEqual([]);
  expect(ana.stderr).toContain(sign);
  expect((await offered([])).tools).toEqual(['Glob', 'Read']);
  const root = await offered([], ['--tools', 'Read']);
  expect(root.tools).toEqual(['Read']);
}

/** The control: where nothing else was ever trusted, the defaults hold, and they are wider. */
async function expectDefaults(): Promise<void> {
  expect((await offered(asAna)).tools).toContain('Read');
  expect((await offered([])).tools).toContain('Bash');
}

describe('a new, untrusted tidegate.yaml', () => {
  const own = (): string => at('home/.config/tidegate/tidegate.yaml');

  it("[15.3] does not replace the operator's own file", async () => {
    await trusted(own(), strict);
    expect((await offered(asAna)).tools).toEqual([]);
    write(project('tidegate.yaml'), wide);
    await expectStrict('config.passed_over');
    // The control: without a trusted file the same start has the defaults.
    await run(['trust', '--forget', own()]);
    rmSync(own());
    await expectDefaults();
    // Once trusted, the nearer file holds.
    await trusted(project('tidegate.yaml'), wide);
    expect((await offered(asAna)).tools).toContain('Bash');
  });

  it('[15.3] does not replace the file of a parent folder, or one with the other extension', async () => {
    await trusted(at('workspace/tidegate.yml'), strict);
    write(project('tidegate.yaml'), wide);
    await expectStrict('config.passed_over');
    write(at('workspace/tidegate.yaml'), wide);
    await expectStrict('config.passed_over');
  });

  it('[15.3] does not change blocks, grants or the store', async () => {
    await trusted(own(), { builtins: ['Read'], store: { file: at('home/rights.db') } });
    await run(['revoke', 'agent:ana', 'Read', '--block']);
    write(project('tidegate.yaml'), wide);
    expect((await offered(asAna)).tools).toEqual([]);
    expect((await offered(['--as', 'agent:bob'])).tools).toEqual(['Read']);
  });

  it('[15.3] cannot select another trusted file through a link', async () => {
    await trusted(at('elsewhere/tidegate.yaml'), wide);
    await trusted(own(), strict);
    symlinkSync(at('elsewhere/tidegate.yaml'), project('tidegate.yaml'));
    await expectStrict('config.passed_over');
    // The control: the operator trusts the link too.
    await run(['trust', '--yes', project('tidegate.yaml')]);
    expect((await offered(asAna)).tools).toContain('Bash');
  });
});

describe('a trusted tidegate.yaml', () => {
  const file = (): string => project('tidegate.yaml');
  const ways: readonly (readonly [string, string, () => void])[] = [
    ['is changed', 'changed', () => write(file(), wide)],
    ['is removed', 'was deleted', () => rmSync(file())],
    [
      'becomes a link',
      'changed',
      () => (
        renameSync(file(), at('elsewhere/a')),
        write(at('elsewhere/b'), wide),
        symlinkSync(at('elsewhere/b'), file())
      ),
    ],
    ['becomes a folder', 'was deleted', () => (rmSync(file()), mkdirSync(file()))],
    [
      'is removed with its folder',
      'was deleted',
      () => (renameSync(project(), at('elsewhere/p')), mkdirSync(project())),
    ],
    ['is stashed by git', 'was deleted', () => stash()],
  ];

  function stash(): void {
    const git = (...args: readonly string[]): void =>
      void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: project() });
    git('init', '-q');
    git('commit', '-q', '--allow-empty', '-m', 'empty');
    git('stash', '-u', '-q');
  }

  it.each(ways)('[15.3] still determines rights and protections when it %s', async (_way, sign, attack) => {
    await trusted(file(), strict);
    expect((await offered(asAna)).tools).toEqual([]);
    attack();
    await expectStrict(sign);
    // The control: once the operator has taken the trust back, the defaults hold.
    await run(['trust', '--forget', file()]);
    rmSync(file(), { recursive: true, force: true });
    await expectDefaults();
  });

  it('[15.3] is not replaced by a less restrictive one above when it is removed', async () => {
    await trusted(at('workspace/tidegate.yaml'), wide);
    await trusted(file(), strict);
    rmSync(file());
    await expectStrict('was deleted');
    await run(['trust', '--forget', file()]);
    expect((await offered(asAna)).tools).toContain('Bash');
  });

  it('[15.3] is not replaced by init, and doctor names it', async () => {
    await trusted(project('tidegate.yaml'), strict);
    rmSync(project('tidegate.yaml'));
    await expect(run(['init', '--yes'])).rejects.toThrow('config.changed');
    const doctor = await runGate({ directory, env }, ['doctor', '--only', 'trust'], { cwd: project() });
    expect(doctor.stdout).toContain('this trusted file was deleted');
    // The control: once the operator ends its limits, init writes a new one.
    await run(['trust', '--yes']);
    await run(['init', '--yes']);
    expect(readFileSync(project('tidegate.yaml'), 'utf8')).not.toBe('');
  });

  it('[15.3] starts nothing if its trusted content is no longer known', async () => {
    await trusted(file(), strict);
    rmSync(at('home/state/trusted'), { recursive: true });
    write(file(), wide);
    const { tools, status, stderr } = await offered([]);
    expect([tools, status === 0]).toEqual([[], false]);
    expect(stderr).toContain('config.changed');
    // The control: with the trusted content it starts.
    write(file(), strict);
    expect((await offered([])).tools).toEqual(['Glob', 'Read']);
  });

  it('[15.3] starts no server, neither of the changed file nor of the previous version', async () => {
    const mark = (name: string): object => ({ command: 'sh', args: ['-c', `touch ${at(name)}`] });
    await trusted(file(), { ...strict, servers: { old: mark('old') } });
    write(file(), { ...wide, servers: { new: mark('new') } });
    await offered([]);
    for (const name of ['old', 'new']) expect(() => readFileSync(at(name))).toThrow('ENOENT');
    await trusted(file(), { ...strict, servers: { old: mark('old') } });
    await offered([]);
    expect(readFileSync(at('old'), 'utf8')).toBe('');
  });
});
