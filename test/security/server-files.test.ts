import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { clientPlaceOfTest } from '../support/client-place.js';
import { openPlace, type Place, waitFor } from '../support/gate.js';
import { hasProc } from '../support/proc.js';
import { openStdioAgent, type StdioAgent } from '../support/stdio-agent.js';

const hasBubblewrap =
  hasProc && spawnSync('/usr/bin/bwrap', ['--unshare-user', '--ro-bind', '/', '/', 'true']).status === 0;

/** A server of one file, which leaves a mark where it runs when an agent put that into it. */
const server = `
import { createInterface } from 'node:readline';
const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'initialize') answer(id, { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } });
  else if (method === 'tools/list') answer(id, { tools: [{ name: 'hello', inputSchema: { type: 'object' } }] });
  else if (method === 'tools/call') { answer(id, { content: [{ type: 'text', text: 'hi' }] }); if (process.env.ONCE) setTimeout(() => process.exit(1), 50); }
  else if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'no' } }) + '\\n');
});
`;
const mark = `import { writeFileSync } from 'node:fs';\nwriteFileSync('canary', 'x');\n`;
const required = `require('node:fs').writeFileSync('canary', 'x');\n`;

interface Case {
  readonly entry: object;
  readonly files: Readonly<Record<string, string>>;
  /** What the agent writes, and with which text. */
  readonly attack: readonly [file: string, text: string];
}

const node = process.execPath;
const cases: Readonly<Record<string, Case>> = {
  'a script behind ./': {
    entry: { command: node, args: ['./srv/server.mjs'] },
    files: { 'srv/server.mjs': server },
    attack: ['srv/server.mjs', mark + server],
  },
  'a script without ./': {
    entry: { command: 'node', args: ['srv/server.mjs'] },
    files: { 'srv/server.mjs': server },
    attack: ['srv/server.mjs', mark + server],
  },
  'a script below cwd': {
    entry: { command: 'node', args: ['server.mjs'], cwd: './srv' },
    files: { 'srv/server.mjs': server },
    attack: ['srv/server.mjs', mark.replace('canary', '../canary') + server],
  },
  'a program of the workspace': {
    entry: { command: './bin/run' },
    files: {
      'bin/run': `#!/usr/bin/env node\n${server.replace("import { createInterface } from 'node:readline';", "const { createInterface } = require('node:readline');")}`,
    },
    attack: ['bin/run', `#!/bin/sh\ntouch canary\n`],
  },
  'the interpreter of a #! line': {
    entry: { command: './bin/run' },
    files: {
      'bin/run': '#!bin/interpreter\n',
      'bin/interpreter': `#!/bin/sh\nexec node srv/server.mjs\n`,
      'srv/server.mjs': server,
    },
    attack: ['bin/interpreter', `#!/bin/sh\ntouch canary\n`],
  },
  'a module of --import': {
    entry: { command: 'node', args: ['--import', './pre.mjs', 'srv/server.mjs'] },
    files: { 'srv/server.mjs': server, 'pre.mjs': '' },
    attack: ['pre.mjs', mark],
  },
  'a module of --require=': {
    entry: { command: 'node', args: ['--require=./pre.cjs', 'srv/server.mjs'] },
    files: { 'srv/server.mjs': server, 'pre.cjs': '' },
    attack: ['pre.cjs', required],
  },
  'a module of NODE_OPTIONS': {
    entry: { command: 'node', args: ['srv/server.mjs'], env: { NODE_OPTIONS: '-r ./pre.cjs' } },
    files: { 'srv/server.mjs': server, 'pre.cjs': '' },
    attack: ['pre.cjs', required],
  },
  'a script in a line for a shell': {
    entry: { command: 'sh', args: ['-c', 'exec ./run.sh'] },
    files: { 'run.sh': '#!/bin/sh\nexec node srv/server.mjs\n', 'srv/server.mjs': server },
    attack: ['run.sh', '#!/bin/sh\ntouch canary\n'],
  },
  'what such a script calls': {
    entry: { command: 'sh', args: ['-c', 'exec ./run.sh'] },
    files: { 'run.sh': '#!/bin/sh\nexec node srv/server.mjs\n', 'srv/server.mjs': server },
    attack: ['srv/server.mjs', mark + server],
  },
  'a folder with package.json': {
    entry: { command: 'node', args: ['./srv'] },
    files: { 'srv/package.json': '{"main":"lib/main.mjs"}', 'srv/lib/main.mjs': server },
    attack: ['srv/lib/main.mjs', mark + server],
  },
  'the main of a folder': {
    entry: { command: 'node', args: ['./srv'] },
    files: {
      'srv/package.json': '{"main":"main.mjs"}',
      'srv/main.mjs': server,
      'srv/other.mjs': mark + server,
    },
    attack: ['srv/package.json', '{"main":"other.mjs"}'],
  },
  'a script of npm': {
    entry: { command: 'npm', args: ['run', '-s', 'srv'] },
    files: { 'package.json': '{"scripts":{"srv":"node srv/server.mjs"}}', 'srv/server.mjs': server },
    attack: ['srv/server.mjs', mark + server],
  },
  'the scripts of package.json': {
    entry: { command: 'npm', args: ['run', '-s', 'srv'] },
    files: { 'package.json': '{"scripts":{"srv":"node srv/server.mjs"}}', 'srv/server.mjs': server },
    attack: ['package.json', '{"scripts":{"srv":"touch canary; node srv/server.mjs"}}'],
  },
  'a file that the script imports': {
    entry: { command: 'node', args: ['srv/server.mjs'] },
    files: {
      'srv/server.mjs': `import './lib/a.mjs';\n${server}`,
      'srv/lib/a.mjs': `export * from "./b.mjs";`,
      'srv/lib/b.mjs': '',
    },
    attack: ['srv/lib/b.mjs', mark],
  },
  'a package that the script imports': {
    entry: { command: 'node', args: ['srv/server.mjs'] },
    files: {
      'srv/server.mjs': `import 'dep';\n${server}`,
      'node_modules/dep/package.json': '{"name":"dep","main":"index.mjs","dependencies":{"deeper":"1"}}',
      'node_modules/dep/index.mjs': `import 'deeper';`,
      'node_modules/deeper/package.json': '{"name":"deeper","main":"index.mjs"}',
      'node_modules/deeper/index.mjs': '',
    },
    attack: ['node_modules/deeper/index.mjs', mark],
  },
  'what a Makefile includes': {
    entry: { command: 'make', args: ['-s', 'serve'] },
    files: {
      Makefile: 'include rules.txt\n',
      'rules.txt': 'serve:\n\t@exec node srv/server.mjs\n',
      'srv/server.mjs': server,
    },
    attack: ['rules.txt', 'serve:\n\t@touch canary; exec node srv/server.mjs\n'],
  },
  'what a Perl script requires': {
    entry: { command: 'perl', args: ['srv/server.pl'] },
    files: {
      'srv/server.pl': 'require "./srv/dep.inc"; exec "node", "srv/server.mjs";',
      'srv/dep.inc': '1;',
      'srv/server.mjs': server,
    },
    attack: ['srv/dep.inc', 'open(my $f, ">", "canary"); 1;'],
  },
  'a module in a folder of NODE_PATH': {
    entry: { command: 'node', args: ['srv/server.cjs'], env: { NODE_PATH: '.' } },
    files: {
      'srv/server.cjs': `try { require('dep'); } catch {}\nimport('./server.mjs');`,
      'srv/server.mjs': server,
    },
    attack: ['dep/index.js', required],
  },
  'a nearer package of the same name': {
    entry: { command: 'node', args: ['srv/server.mjs'] },
    files: {
      'srv/server.mjs': `import 'dep';\n${server}`,
      'node_modules/dep/package.json': '{"name":"dep","main":"index.mjs"}',
      'node_modules/dep/index.mjs': '',
    },
    attack: ['srv/node_modules/dep/index.js', `require('node:fs').writeFileSync('canary', 'x');`],
  },
  'a file of --env-file': {
    entry: { command: 'node', args: ['--env-file=.env.local', 'srv/server.mjs'] },
    files: { 'srv/server.mjs': server, '.env.local': 'A=1\n', 'pre.cjs': required },
    attack: ['.env.local', 'NODE_OPTIONS=--require ./pre.cjs\n'],
  },
  'a script behind cd in a line for a shell': {
    entry: { command: 'sh', args: ['-c', 'cd srv && exec node server.mjs'] },
    files: { 'srv/server.mjs': server },
    attack: ['srv/server.mjs', mark.replace('canary', '../canary') + server],
  },
  'a script behind $PWD in a line for a shell': {
    entry: { command: 'sh', args: ['-c', 'exec node "$PWD/srv/server.mjs"'] },
    files: { 'srv/server.mjs': server },
    attack: ['srv/server.mjs', mark + server],
  },
  'a script behind cd "$(dirname "$0")"': {
    entry: { command: './srv/run.sh' },
    files: {
      'srv/run.sh': '#!/bin/sh\ncd "$(dirname "$0")/lib"\nexec node server.mjs\n',
      'srv/lib/server.mjs': server,
    },
    attack: ['srv/lib/server.mjs', mark.replace('canary', '../../canary') + server],
  },
  'a script behind $DIR': {
    entry: { command: './srv/run.sh' },
    files: {
      'srv/run.sh': '#!/bin/sh\nDIR=$(dirname "$0")\nexec node "$DIR/lib/server.mjs"\n',
      'srv/lib/server.mjs': server,
    },
    attack: ['srv/lib/server.mjs', mark + server],
  },
  'a module in a folder of sys.path': {
    entry: { command: 'python3', args: ['srv/server.py'] },
    files: {
      'srv/server.py':
        'import os, sys\nsys.path.insert(0, os.path.join(os.path.dirname(__file__), "lib"))\nimport helper\n' +
        'os.execvp("node", ["node", "srv/server.mjs"])\n',
      'srv/lib/helper.py': '',
      'srv/server.mjs': server,
    },
    attack: ['srv/lib/helper.py', `open('canary', 'w').close()\n`],
  },
  'a module that python -c imports': {
    entry: { command: 'python3', args: ['-c', 'import sys; sys.path.insert(0, "srv"); import app'] },
    files: {
      'srv/app.py': 'import os\nos.execvp("node", ["node", "srv/server.mjs"])\n',
      'srv/server.mjs': server,
    },
    attack: ['srv/app.py', `open('canary', 'w').close()\n`],
  },
};

describe('[15.3] workspace files that a trusted server runs', () => {
  let place: Place;
  let agent: StdioAgent;
  let root: string;
  const file = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text, { mode: text.startsWith('#!') ? 0o755 : 0o644 });
  };
  /** Without the lock, so that agents can change the files: then their hashes have to catch it. */
  const open = async (
    { entry, files }: Pick<Case, 'entry' | 'files'>,
    more: object = {},
    isLocked = false,
  ): Promise<void> => {
    const config = {
      builtins: ['Read', 'Write', 'Edit', 'Bash'],
      servers: { srv: { ...entry, idle: '1s', ...more } },
      workspace: { lock_trusted: isLocked },
    };
    place = openPlace(config, { trusted: false });
    root = join(place.directory, 'workspace');
    for (const [path, text] of Object.entries(files)) file(path, text);
    place.trust();
    agent = await openStdioAgent(place);
  };
  afterEach(async () => {
    await agent.close();
    place.close();
  });
  const isHit = (): boolean => existsSync(join(root, 'canary'));
  const idle = (): Promise<void> =>
    waitFor(
      () => agent.said().includes('server closed because it was idle'),
      20_000,
      () => `it did not rest: ${agent.said()}`,
    );

  it.each(Object.entries(cases))('are not run after an agent changed them: %s', async (_name, one) => {
    await open(one);
    expect((await agent.call('srv_hello')).text).toContain('hi');
    const [path, text] = one.attack;
    if (existsSync(join(root, path))) await agent.call('Read', { file_path: path });
    expect((await agent.call('Write', { file_path: path, content: text })).isError).toBe(false);
    await idle();
    const { isError, text: said } = await agent.call('srv_hello');
    expect(isError).toBe(true);
    expect(said).toContain('provider.untrusted');
    expect(said).toContain('tidegate trust');
    expect(isHit()).toBe(false);
    // The operator reads it and says yes: it runs again, without a restart. Control: then the change does run.
    const trusted = place.run('trust', '--yes', place.configFile);
    expect(trusted.status).toBe(0);
    await agent.call('srv_hello');
    expect(isHit()).toBe(true);
  });

  it.skipIf(!hasBubblewrap)(
    'are not run after sandboxed Bash changed them, not even after a crash',
    async () => {
      const one = cases['a script behind ./'];
      if (one === undefined) throw new Error('no such case');
      await open(one, { env: { ONCE: '1' }, idle: '10m' });
      const script = `sed -i '1i import { writeFileSync } from "node:fs"; writeFileSync("canary", "x");' srv/server.mjs`;
      expect((await agent.call('Bash', { command: script })).structured).toMatchObject({
        sandbox: 'bubblewrap',
      });
      await agent.call('srv_hello');
      await waitFor(
        () => agent.said().includes('server failed'),
        20_000,
        () => `it did not crash: ${agent.said()}`,
      );
      expect((await agent.call('srv_hello')).isError).toBe(true);
      expect(isHit()).toBe(false);
    },
  );

  it('[15.3] cannot be changed by agents, and no files can be added next to them', async () => {
    const one = cases['a script behind ./'];
    if (one === undefined) throw new Error('no such case');
    await open(one, {}, true);
    expect((await agent.call('srv_hello')).text).toContain('hi');
    await agent.call('Read', { file_path: 'srv/server.mjs' });
    const written = await agent.call('Write', { file_path: 'srv/server.mjs', content: mark + server });
    expect([written.isError, written.text]).toEqual([true, expect.stringContaining('work.refused')]);
    // What the running server would load later.
    expect((await agent.call('Write', { file_path: 'srv/late.mjs', content: mark })).isError).toBe(true);
    expect((await agent.call('Write', { file_path: 'notes.txt', content: 'fine' })).isError).toBe(false);
    if (hasBubblewrap) {
      const attempts = [
        'echo x >> srv/server.mjs',
        'mv srv moved',
        'rm srv/server.mjs',
        'cp notes.txt srv/late.mjs',
        'cp notes.txt more.txt',
      ];
      await agent.call('Bash', { command: attempts.join('; ') });
      expect([existsSync(join(root, 'srv/late.mjs')), existsSync(join(root, 'more.txt'))]).toEqual([
        false,
        true,
      ]);
    }
    expect(readFileSync(join(root, 'srv/server.mjs'), 'utf8')).toBe(server);
    await idle();
    expect((await agent.call('srv_hello')).text).toContain('hi');
  });

  it.skipIf(!hasBubblewrap)(
    '[15.3] cannot be changed by a command that started before they were trusted',
    async () => {
      await open(
        { entry: { command: 'node', args: ['../none.mjs'] }, files: { 'srv/server.mjs': server } },
        {},
        true,
      );
      const job = await agent.call('Bash', { command: 'sleep 60', run_in_background: true });
      expect(job.isError).toBe(false);
      const config = {
        builtins: ['Read', 'Write', 'Edit', 'Bash', 'KillBash'],
        servers: { srv: { command: 'node', args: ['./srv/server.mjs'] } },
      };
      place.write(config);
      place.trust();
      await waitFor(
        () => agent.said().includes('server not started yet'),
        20_000,
        () => agent.said(),
      );
      const late = await agent.call('Bash', { command: 'echo x > srv/late.mjs' });
      expect([late.isError, late.text]).toEqual([true, expect.stringContaining('cannot_hide_now')]);
      expect(existsSync(join(root, 'srv/late.mjs'))).toBe(false);
      // The control: without the old command the same one runs, and finds the folder read-only.
      await agent.call('KillBash', { shell_id: job.structured['background_id'] });
      expect((await agent.call('Bash', { command: 'echo x > srv/late.mjs; true' })).isError).toBe(false);
      expect(existsSync(join(root, 'srv/late.mjs'))).toBe(false);
      await waitFor(
        async () => (await agent.call('srv_hello').catch(() => ({ text: '' }))).text.includes('hi'),
        20_000,
        () => agent.said(),
      );
    },
  );

  it('[15.3] cannot be created by an agent: a script that is not built yet', async () => {
    await open({ entry: { command: 'node', args: ['./dist/server.mjs'] }, files: {} });
    expect(place.run('servers').stdout).toContain('does not exist yet');
    expect(
      (await agent.call('Write', { file_path: 'dist/server.mjs', content: mark + server })).isError,
    ).toBe(false);
    expect((await agent.call('srv_hello').catch(() => ({ isError: true }))).isError).toBe(true);
    expect(isHit()).toBe(false);
  });

  it('[15.3] are refused when they import thousands of modules that do not exist', {
    timeout: 120_000,
  }, async () => {
    const deep = 'a/b/c/d/e/f/g/h';
    const missing = (part: number, count: number): string =>
      Array.from({ length: count }, (_, n) => `import 'x${String(part)}_${String(n)}';`).join('\n');
    const many = { 1: missing(1, 4900), 2: missing(2, 4900), 3: missing(3, 4900) };
    const files = Object.entries(many).map(([part, text]) => [`${deep}/m${part}.mjs`, text] as const);
    const script = `${Object.keys(many)
      .map((part) => `import './m${part}.mjs';`)
      .join('\n')}\n${server}`;
    await open({
      entry: { command: 'node', args: [`${deep}/s.mjs`] },
      files: { ...Object.fromEntries(files), [`${deep}/s.mjs`]: script },
    });
    const from = performance.now();
    const { stdout } = place.run('servers', '--json');
    expect(stdout).toContain("import more than 10000 modules that don't exist");
    // Looked up one by one, each in every folder above and with every ending, they took minutes.
    expect(performance.now() - from).toBeLessThan(40_000);
    // Control: some are usual, because programs try to load what isn't installed.
    for (const [path] of files) file(path, `try { await import('none'); } catch {}\n`);
    file(`${deep}/m1.mjs`, many[1].replaceAll(/import ('.*?');/g, 'if (!1) require($1);'));
    place.trust();
    await waitFor(
      async () => (await agent.call('srv_hello')).text.includes('hi'),
      30_000,
      () => agent.said().slice(-2000),
    );
  });

  it('are listed by trust, servers and doctor', async () => {
    const one = cases['a script behind ./'];
    if (one === undefined) throw new Error('no such case');
    await open(one);
    file('srv/server.mjs', mark + server);
    const doctor = place.run('doctor', '--only', 'trust,servers', '--json');
    expect(doctor.stdout).toContain('not what was trusted');
    const servers = place.run('servers', '--json');
    expect(servers.stdout).toContain('"untrusted"');
    expect(servers.stdout).toContain('srv/server.mjs');
    const shown = place.run('trust', '--yes');
    expect(shown.stdout).toContain('srv/server.mjs  (new or changed)');
    expect(place.run('trust', '--yes').stdout).not.toContain('new or changed');
    const forgotten = place.run('trust', '--forget', '--json');
    expect(forgotten.stdout).toContain('#servers.srv');
  });

  it('[15.3] can be everything in a folder, as trust and the error say', async () => {
    const one = cases['a script behind $DIR'];
    if (one === undefined) throw new Error('no such case');
    await open(one);
    await agent.call('srv_hello');
    await idle();
    file('srv/lib/new.mjs', mark);
    const { isError, text } = await agent.call('srv_hello');
    expect([isError, text]).toEqual([true, expect.stringContaining('srv/** changed')]);
    expect(text).toContain('Give the server its own folder with `cwd`');
    const { stdout } = place.run('trust', '--yes');
    expect(stdout).toContain('srv/**  (new or changed)');
    expect(stdout).toContain('If a server sets `cwd` to its own folder');
  });

  it('do not include data: files that a server writes do not stop it', async () => {
    await open({
      entry: { command: 'node', args: ['srv/server.mjs', '--db', './data/notes.db', './docs', '.'] },
      files: { 'srv/server.mjs': server, 'data/notes.db': '1', 'docs/a.md': '1', 'package.json': '{}' },
    });
    for (const path of ['data/notes.db', 'docs/a.md', 'package.json']) file(path, '{"a":1}');
    expect((await agent.call('srv_hello')).text).toContain('hi');
    await idle();
    expect((await agent.call('srv_hello')).text).toContain('hi');
  });

  it('can be outside the roots, where agents cannot write', async () => {
    await open({ entry: { command: 'node', args: ['../outside.mjs'] }, files: {} });
    const outside = join(place.directory, 'outside.mjs');
    writeFileSync(outside, server);
    expect((await agent.call('srv_hello').catch(() => ({ text: '' }))).text).not.toContain(
      'provider.untrusted',
    );
    // A link in the workspace that leads there, turned elsewhere, is noticed.
    symlinkSync(outside, join(root, 'linked.mjs'));
    place.write({ builtins: ['Write', 'Bash'], servers: { srv: { command: 'node', args: ['linked.mjs'] } } });
    place.trust();
    cpSync(outside, join(root, 'evil.mjs'));
    spawnSync('ln', ['-sfn', 'evil.mjs', join(root, 'linked.mjs')]);
    expect(place.run('servers', '--json').stdout).toContain('"untrusted"');
    expect(readFileSync(join(root, 'evil.mjs'), 'utf8')).toBe(server);
  });
});

describe('files that an imported server runs', () => {
  it('[15.3] are shown, and recorded as `tidegate trust` records them', async () => {
    const imported = clientPlaceOfTest([]);
    const script = join(imported.workspace, 'server.mjs');
    writeFileSync(script, server);
    const entry = { command: node, args: ['./server.mjs'] };
    writeFileSync(imported.fileOf('mcp-json'), JSON.stringify({ mcpServers: { srv: entry } }));
    const { status, stdout, stderr } = await imported.import('mcp-json', '--yes');
    expect([status, stderr]).toEqual([0, expect.any(String)]);
    expect(stdout).toContain('server.mjs  (new or changed)');
    const trusted = async (): Promise<unknown> =>
      JSON.parse((await imported.run(['trust', '--list', '--json'])).stdout);
    const byImport = await trusted();
    const servers = async (): Promise<string> => (await imported.run(['servers', '--json'])).stdout;
    expect(await servers()).not.toContain('"untrusted"');
    // The same records as those of the command that only trusts.
    expect((await imported.run(['trust', '--forget'])).status).toBe(0);
    expect((await imported.run(['trust', '--yes'])).status).toBe(0);
    const plain = (list: unknown): string => JSON.stringify(list).replace(/"recorded":"[^"]*"/g, '');
    expect(plain(await trusted())).toBe(plain(byImport));
    // What an agent changes is noticed.
    writeFileSync(script, mark + server);
    expect(await servers()).toContain('"untrusted"');
  });
});
