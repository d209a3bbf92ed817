import { spawnSync } from 'node:child_process';
import {
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { openPlace, type Place, waitFor } from '../support/gate.js';
import { hasProc } from '../support/proc.js';
import { openStdioAgent, type StdioAgent } from '../support/stdio-agent.js';

const hasBubblewrap =
  hasProc && spawnSync('/usr/bin/bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true']).status === 0;

const server = `
import { createInterface } from 'node:readline';
const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'initialize') answer(id, { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } });
  else if (method === 'tools/list') answer(id, { tools: [{ name: 'hello', inputSchema: { type: 'object' } }] });
  else if (method === 'tools/call') answer(id, { content: [{ type: 'text', text: 'hi' }] });
  else if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }) + '\\n');
});
`;
const usesDep = `import 'dep';\n${server}`;
const mark = `import { writeFileSync } from 'node:fs';\nwriteFileSync('canary', 'x');\n`;
const dep = {
  'node_modules/dep/package.json': '{"name":"dep","main":"index.mjs"}',
  'node_modules/dep/index.mjs': '',
};

interface Case {
  readonly entry?: object;
  readonly files: Readonly<Record<string, string>>;
  readonly links?: Readonly<Record<string, string>>;
  readonly hardLinks?: Readonly<Record<string, string>>;
  /** What a sandboxed command does. */
  readonly attack: string;
  /** The path that must stay as it is. */
  readonly target: string;
  /** What `Write` is refused for, where that differs from what the command changes. */
  readonly written?: string;
}

const evilName = `printf '{"name":"dep","exports":"./evil.mjs"}' > new.json; mv new.json`;
const cases: Readonly<Record<string, Case>> = {
  'the package.json above, which can take over the name of a package': {
    files: { 'srv/server.mjs': usesDep, 'package.json': '{"name":"project"}', 'evil.mjs': mark, ...dep },
    attack: `${evilName} package.json`,
    target: 'package.json',
    written: 'package.json',
  },
  'the package.json above, which says what #names mean': {
    files: {
      'srv/server.mjs': `import '#x';\n${server}`,
      'package.json': '{"imports":{"#x":"./x.mjs"}}',
      'x.mjs': '',
    },
    attack: `printf '{"imports":{"#x":"./evil.mjs"}}' > new.json; mv new.json package.json`,
    target: 'package.json',
    written: 'package.json',
  },
  'a package.json that does not exist yet': {
    entry: { command: 'node', args: ['tools/srv/server.mjs'] },
    files: { 'tools/srv/server.mjs': usesDep, 'package.json': '{}', 'tools/evil.mjs': mark, ...dep },
    attack: `${evilName} tools/package.json; rm -f new.json`,
    target: 'tools/package.json',
    written: 'tools/package.json',
  },
  'a link of npm workspaces': {
    files: {
      'srv/server.mjs': `import '@me/lib';\n${server}`,
      'packages/lib/package.json': '{"name":"@me/lib","main":"index.mjs"}',
      'packages/lib/index.mjs': '',
      'evil/index.js': '',
    },
    links: { 'node_modules/@me/lib': '../../packages/lib' },
    attack: 'ln -sfn ../../evil node_modules/@me/lib',
    target: 'node_modules/@me/lib',
    written: 'node_modules/@me/other/index.js',
  },
  'a link of pnpm': {
    files: {
      'srv/server.mjs': usesDep,
      'node_modules/.pnpm/dep@1/node_modules/dep/package.json': '{"name":"dep","main":"index.mjs"}',
      'node_modules/.pnpm/dep@1/node_modules/dep/index.mjs': '',
      'evil/index.js': '',
    },
    links: { 'node_modules/dep': '.pnpm/dep@1/node_modules/dep' },
    attack: 'ln -sfn ../evil node_modules/dep',
    target: 'node_modules/dep',
  },
  'a link on the way to the script': {
    entry: { command: 'node', args: ['bin/current/server.mjs'] },
    files: { 'releases/1/server.mjs': server, 'releases/2/server.mjs': mark + server },
    links: { 'bin/current': '../releases/1' },
    attack: 'ln -sfn ../releases/2 bin/current',
    target: 'bin/current',
    written: 'bin/other.mjs',
  },
  'another name of the script (hard link)': {
    files: { 'srv/server.mjs': server, 'notes/a.txt': '' },
    hardLinks: { 'notes/copy.mjs': 'srv/server.mjs' },
    attack: 'echo "// changed" >> notes/copy.mjs',
    target: 'srv/server.mjs',
    written: 'notes/copy.mjs',
  },
  'a program whose name ends with a bracket': {
    entry: { command: './bin/server (1)' },
    files: { 'bin/server (1)': '#!/bin/sh\nexec node srv/server.mjs\n', 'srv/server.mjs': server },
    attack: 'echo "# changed" >> "bin/server (1)"',
    target: 'bin/server (1)',
    written: 'bin/server (1)',
  },
  'a nearer node_modules that does not exist yet': {
    entry: { command: 'node', args: ['tools/srv/server.mjs'] },
    files: { 'tools/srv/server.mjs': usesDep, 'tools/srv/package.json': '{}', ...dep },
    attack: 'mkdir -p tools/node_modules/dep; echo > tools/node_modules/dep/index.js',
    target: 'tools/node_modules/dep/index.js',
    written: 'tools/node_modules/dep/index.js',
  },
  'a folder of NODE_PATH that does not exist yet': {
    entry: { command: 'node', args: ['srv/server.mjs'], env: { NODE_PATH: 'lib/modules' } },
    files: { 'srv/server.mjs': server, 'lib/a.txt': '' },
    attack: 'mkdir -p lib/modules/dep; echo > lib/modules/dep/index.js',
    target: 'lib/modules/dep/index.js',
    written: 'lib/modules/dep/index.js',
  },
};

describe.skipIf(!hasBubblewrap)('[15.3] the files that decide which code a trusted program loads', () => {
  let place: Place;
  let agent: StdioAgent | undefined;
  let root: string;
  afterEach(async () => {
    await agent?.close();
    agent = undefined;
    place.close();
    vi.unstubAllEnvs();
  });
  const at = (path: string): string => join(root, path);
  const file = (path: string, text: string): void => {
    mkdirSync(dirname(at(path)), { recursive: true });
    writeFileSync(at(path), text, { mode: text.startsWith('#!') ? 0o755 : 0o644 });
  };
  const prepare = (
    config: object,
    { files, links = {}, hardLinks = {} }: Pick<Case, 'files' | 'links' | 'hardLinks'>,
  ): void => {
    place = openPlace({ builtins: ['Read', 'Write', 'Bash'], ...config }, { trusted: false });
    root = join(place.directory, 'workspace');
    for (const [path, text] of Object.entries(files)) file(path, text);
    for (const [path, to] of Object.entries(links)) {
      mkdirSync(dirname(at(path)), { recursive: true });
      symlinkSync(to, at(path));
    }
    for (const [path, to] of Object.entries(hardLinks)) linkSync(at(to), at(path));
  };
  /** What a path is: absent, a link with its target, or a file with its text. */
  const stateOf = (path: string): string => {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return 'absent';
    return stats.isSymbolicLink() ? `-> ${readlinkSync(path)}` : readFileSync(path, 'utf8');
  };
  const openAgent = async (): Promise<StdioAgent> => (agent = await openStdioAgent(place));
  const bash = async (one: StdioAgent, command: string): Promise<void> => {
    const { structured, text } = await one.call('Bash', { command });
    expect([structured['sandbox'], text]).toEqual(['bubblewrap', expect.any(String)]);
  };
  const write = async (one: StdioAgent, path: string): Promise<readonly [boolean, string]> => {
    if (existsSync(at(path))) await one.call('Read', { file_path: path });
    const { isError, text } = await one.call('Write', { file_path: path, content: '{}' });
    return [isError, text];
  };
  /** Until the server is closed, so that the next call starts it again. */
  const rest = (one: StdioAgent): Promise<void> =>
    waitFor(
      () => one.said().includes('server closed because it was idle'),
      20_000,
      () => one.said(),
    );
  const refused = [true, expect.stringContaining('lock_trusted')];
  const configOf = ({ entry = { command: 'node', args: ['srv/server.mjs'] } }: Case, isLocked: boolean) => ({
    servers: { srv: { ...entry, idle: '1s' } },
    workspace: { lock_trusted: isLocked },
  });

  it.each(Object.entries(cases))('[15.3] are locked: %s', async (_name, one) => {
    prepare(configOf(one, true), one);
    place.trust();
    const before = stateOf(at(one.target));
    const caller = await openAgent();
    expect((await caller.call('srv_hello')).text).toContain('hi');
    if (one.written !== undefined) expect(await write(caller, one.written)).toEqual(refused);
    await bash(caller, one.attack);
    expect(stateOf(at(one.target))).toBe(before);
    // Placeholders go with the command.
    if (before === 'absent')
      expect(existsSync(dirname(at(one.target)))).toBe(dirname(one.target) === 'tools');
    await bash(caller, 'mkdir -p free && echo fine > free/file');
    expect(stateOf(at('free/file'))).toBe('fine\n');
    await rest(caller);
    expect((await caller.call('srv_hello')).text).toContain('hi');
    expect(existsSync(at('canary'))).toBe(false);
  });

  it.each(Object.entries(cases))(
    '[15.3] can be changed without the lock (control): %s',
    async (_name, one) => {
      prepare(configOf(one, false), one);
      place.trust();
      const before = stateOf(at(one.target));
      await bash(await openAgent(), one.attack);
      expect(stateOf(at(one.target))).not.toBe(before);
    },
  );

  it.each([
    ['is valid UTF-8 (control)', [], true],
    ['is not valid UTF-8', [0xff], false],
  ])(
    '[15.3] are not trusted with a hard link in a folder that cannot be locked: %s',
    async (_name, end, isTrusted) => {
      prepare(
        { servers: { srv: { command: 'node', args: ['srv/server.mjs'] } } },
        { files: { 'srv/server.mjs': server } },
      );
      const folder = Buffer.concat([Buffer.from(at('d')), Buffer.from(end)]);
      mkdirSync(folder);
      linkSync(at('srv/server.mjs'), Buffer.concat([folder, Buffer.from('/a')]));
      const { stdout, stderr } = place.run('trust', '--yes');
      expect(`${stdout}${stderr}`.includes('not valid UTF-8')).toBe(!isTrusted);
      const caller = await openAgent();
      const { text } = await caller.call('srv_hello').catch(() => ({ text: 'refused' }));
      expect(text.includes('hi')).toBe(isTrusted);
      if (!isTrusted) return;
      await bash(caller, 'echo "// changed" >> d/a');
      expect(stateOf(at('srv/server.mjs'))).toBe(server);
    },
  );

  it('[15.3] control: the package.json above redirects an import if it takes the name of a package', async () => {
    const one = cases['the package.json above, which can take over the name of a package'];
    if (one === undefined) throw new Error('no such case');
    prepare(configOf(one, false), one);
    place.trust();
    const caller = await openAgent();
    await bash(caller, one.attack);
    await rest(caller);
    expect((await caller.call('srv_hello').catch(() => ({ isError: true }))).isError).toBe(true);
    place.trust();
    await caller.call('srv_hello');
    expect(existsSync(at('canary'))).toBe(true);
  });

  it('[15.3] do not include a package.json that can redirect nothing', async () => {
    const files = { 'srv/server.mjs': server, 'own/package.json': '{}', 'own/server.mjs': usesDep, ...dep };
    prepare(
      {
        servers: {
          srv: { command: 'node', args: ['srv/server.mjs'] },
          own: { command: 'node', args: ['own/server.mjs'] },
        },
      },
      { files: { ...files, 'package.json': '{"name":"project"}' } },
    );
    place.trust();
    const caller = await openAgent();
    expect((await caller.call('own_hello')).text).toContain('hi');
    expect(await write(caller, 'package.json')).toEqual([false, expect.any(String)]);
    await bash(caller, 'echo "{}" > package.json; mkdir -p node_modules/new && echo > node_modules/new/a.js');
    expect([stateOf(at('package.json')), stateOf(at('node_modules/new/a.js'))]).toEqual(['{}\n', '\n']);
  });

  it.each([true, false])('[15.3] are locked for plugins outside .tidegate: %s', async (isLocked) => {
    const entry = { type: 'mcp', command: ['node', './plugin/main.mjs'] };
    prepare(
      { workspace: { lock_trusted: isLocked } },
      {
        files: {
          'plugin/main.mjs': server,
          '.tidegate/plugins.yaml': JSON.stringify({ plugins: { echo: entry } }),
        },
      },
    );
    place.trust();
    expect(place.run('plugin', 'trust', 'echo', '--yes').status).toBe(0);
    const caller = await openAgent();
    expect((await write(caller, 'plugin/late.mjs'))[0]).toBe(isLocked);
    await bash(caller, 'echo "// changed" >> plugin/main.mjs');
    expect(stateOf(at('plugin/main.mjs')) === server).toBe(isLocked);
  });

  it.each([
    ['off', true],
    ['auto', false],
  ])('[15.3] are locked for workflows only with `sandbox: off`: %s', async (sandbox, isLocked) => {
    const states = {
      initial: 'a',
      a: { type: 'command', command: 'node scripts/deploy.mjs', on_success: 'done' },
      done: { type: 'terminal' },
    };
    prepare(sandbox === 'off' ? { workflows: { go: { sandbox } } } : {}, {
      files: {
        'scripts/deploy.mjs': 'console.log(1);\n',
        '.tidegate/workflows/go.yaml': JSON.stringify({ name: 'go', states }),
      },
    });
    place.trust();
    const { status, stderr } = place.run('trust', '--yes', at('.tidegate/workflows/go.yaml'));
    expect([status, stderr]).toEqual([0, expect.any(String)]);
    const caller = await openAgent();
    expect((await write(caller, 'scripts/late.mjs'))[0]).toBe(isLocked);
    await bash(caller, 'echo "// changed" >> scripts/deploy.mjs');
    expect(stateOf(at('scripts/deploy.mjs')) === 'console.log(1);\n').toBe(isLocked);
  });

  it('[15.3] are locked in a gateway with another configuration, until trust is removed', async () => {
    const second = { servers: { srv: { command: 'node', args: ['srv/server.mjs'], cwd: '..' } } };
    prepare(
      {},
      {
        files: {
          'srv/server.mjs': server,
          'second/tidegate.yaml': JSON.stringify({ ...second, workspace: { roots: ['..'] } }),
        },
      },
    );
    place.trust();
    expect(place.run('trust', '--yes', at('second/tidegate.yaml')).status).toBe(0);
    const caller = await openAgent();
    expect(await write(caller, 'srv/late.mjs')).toEqual(refused);
    await bash(caller, 'echo "// changed" >> srv/server.mjs');
    expect(stateOf(at('srv/server.mjs'))).toBe(server);
    // Control.
    expect(place.run('trust', '--forget', at('second/tidegate.yaml')).status).toBe(0);
    await bash(caller, 'echo "// changed" >> srv/server.mjs');
    expect(stateOf(at('srv/server.mjs'))).not.toBe(server);
  });

  it('[15.3] are unlocked if the configuration no longer has the server', async () => {
    prepare(
      { servers: { srv: { command: 'node', args: ['srv/server.mjs'] } } },
      {
        files: { 'srv/server.mjs': server },
      },
    );
    place.trust();
    place.write({ builtins: ['Read', 'Write', 'Bash'] });
    place.trust();
    expect(await write(await openAgent(), 'srv/late.mjs')).toEqual([false, expect.any(String)]);
  });

  it.each([true, false])('[15.3] are locked in a folder of `shell.writable`: %s', async (isLocked) => {
    vi.stubEnv('TMPDIR', '/var/tmp');
    prepare({}, { files: {} });
    const home = join(place.directory, 'home');
    const script = join(home, 'tools/srv/server.mjs');
    mkdirSync(dirname(script), { recursive: true });
    writeFileSync(script, server);
    place.write({
      builtins: ['Read', 'Write', 'Bash'],
      servers: { srv: { command: 'node', args: [script], idle: '1s' } },
      shell: { writable: ['~/tools'] },
      workspace: { lock_trusted: isLocked },
    });
    place.trust();
    const caller = await openAgent();
    expect((await caller.call('srv_hello')).text).toContain('hi');
    await bash(caller, `echo "// changed" >> '${script}'; echo fine > '${home}/tools/other'`);
    expect(readFileSync(join(home, 'tools/other'), 'utf8')).toBe('fine\n');
    expect(readFileSync(script, 'utf8') === server).toBe(isLocked);
    if (isLocked) return;
    // Without the lock the hash still refuses it.
    await rest(caller);
    expect((await caller.call('srv_hello')).text).toContain('provider.untrusted');
  });
});
