import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { openPlace, type Place, waitFor } from '../support/gate.js';
import { hasProc } from '../support/proc.js';
import { openStdioAgent, type StdioAgent } from '../support/stdio-agent.js';

const hasPython = hasProc && spawnSync('python3', ['-c', 'import venv']).status === 0;

/** A server of one file. Python's `subprocess` imports `selectors`; `helper` lies beside the script. */
const server = `
import json, sys, subprocess, helper
for line in sys.stdin:
    asked = json.loads(line)
    method, id = asked.get("method"), asked.get("id")
    if id is None: continue
    if method == "initialize": result = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
    elif method == "tools/list": result = {"tools": [{"name": "hello", "inputSchema": {"type": "object"}}]}
    else: result = {"content": [{"type": "text", "text": "hi"}]}
    print(json.dumps({"jsonrpc": "2.0", "id": id, "result": result}), flush=True)
`;
const mark = `open('canary', 'w').close()\n`;
const helper = 'x = 1\n';
/** Makes the compiled form of a module that leaves a mark. */
const compile = (to: string, mode: string): string =>
  `cat > /tmp/evil.py <<'END'\n${mark}END\nmkdir -p ${dirname(to)}\npython3 - <<'END'\n` +
  `import py_compile\npy_compile.compile('/tmp/evil.py', cfile='${to}', dfile='evil.py', invalidation_mode=py_compile.PycInvalidationMode.${mode})\nEND\n`;

interface Case {
  readonly entry: object;
  readonly files?: Readonly<Record<string, string>>;
  /** A command of sandboxed `Bash`. */
  readonly attack: string;
  /** What the refusal names. */
  readonly names: string;
}

const write = (file: string, text = mark): string =>
  `mkdir -p ${dirname(file)} && cat > ${file} <<'END'\n${text}END\n`;
const usual = { 'srv/server.py': server, 'srv/helper.py': helper };
const script = { command: 'python3', args: ['srv/server.py'] };
const cases: Readonly<Record<string, Case>> = {
  'a new module beside the script': {
    entry: script,
    attack: write('srv/selectors.py'),
    names: 'srv/selectors.py',
  },
  'a new package beside the script': {
    entry: script,
    attack: write('srv/selectors/__init__.py'),
    names: 'srv/selectors',
  },
  'a module without source beside the script': {
    entry: script,
    attack: compile('srv/selectors.pyc', 'UNCHECKED_HASH'),
    names: 'srv/selectors.pyc',
  },
  'a new module in the folder of -m': {
    entry: { command: 'python3', args: ['-m', 'server'], cwd: './srv' },
    attack: write('srv/selectors.py', mark.replace('canary', '../canary')),
    names: 'srv/selectors.py',
  },
  'a new module in the folder of -c': {
    entry: { command: 'python3', args: ['-c', "import runpy; runpy.run_path('srv/server.py')"] },
    files: { 'srv/server.py': server.replace(', helper', '') },
    attack: write('selectors.py'),
    names: 'selectors.py',
  },
  'a new module in a folder of PYTHONPATH': {
    entry: { ...script, env: { PYTHONPATH: '.' } },
    attack: write('selectors.py'),
    names: 'selectors.py',
  },
  'sitecustomize in a folder of PYTHONPATH': {
    entry: { ...script, env: { PYTHONPATH: './lib' } },
    files: { ...usual, 'lib/other.txt': '' },
    attack: write('lib/sitecustomize.py'),
    names: 'lib/sitecustomize.py',
  },
  'a script that starts by its #! line': {
    entry: { command: './srv/run' },
    files: { ...usual, 'srv/run': `#!/usr/bin/env python3\n${server}` },
    attack: write('srv/selectors.py'),
    names: 'srv/selectors.py',
  },
  'a module in a package that was there': {
    entry: { command: 'python3', args: ['-m', 'pkg'] },
    files: { 'pkg/__init__.py': '', 'pkg/__main__.py': server, 'helper.py': helper, 'pkg/late.py': '' },
    attack: write('selectors.py'),
    names: 'selectors.py',
  },
};

describe.skipIf(!hasPython)('[15.3] what a trusted Python server imports', () => {
  let place: Place;
  let agent: StdioAgent;
  let root: string;
  const file = (path: string, text: string): void => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text, { mode: text.startsWith('#!') ? 0o755 : 0o644 });
  };
  const open = async (
    entry: object,
    files: Readonly<Record<string, string>> = usual,
    prepare: () => void = () => {},
  ): Promise<void> => {
    // Without the lock, so that agents can write beside the script: then hashes have to catch it.
    const config = {
      builtins: ['Read', 'Write', 'Bash'],
      servers: { srv: { ...entry, idle: '1s' } },
      workspace: { lock_trusted: false },
    };
    place = openPlace(config, { trusted: false });
    root = join(place.directory, 'workspace');
    for (const [path, text] of Object.entries(files)) file(path, text);
    prepare();
    place.trust();
    agent = await openStdioAgent(place);
  };
  afterEach(async () => {
    await agent.close();
    place.close();
  });
  const isHit = (): boolean => existsSync(join(root, 'canary'));
  const rests = (): number => agent.said().split('server closed because it was idle').length;
  const idle = async (before: number): Promise<void> =>
    waitFor(
      () => rests() > before,
      20_000,
      () => `it did not rest: ${agent.said()}`,
    );
  const attack = async (command: string): Promise<void> => {
    const { structured } = await agent.call('Bash', { command });
    expect(structured).toMatchObject({ sandbox: 'bubblewrap', exit_code: 0 });
  };
  const refused = async (names: string): Promise<void> => {
    const { isError, text } = await agent.call('srv_hello');
    expect(text).toContain('provider.untrusted');
    expect(text).toContain(names);
    expect(isError).toBe(true);
    expect(isHit()).toBe(false);
  };
  const runsWhenTrusted = async (): Promise<void> => {
    expect(place.run('trust', '--yes', place.configFile).status).toBe(0);
    await agent.call('srv_hello').catch(() => undefined);
    expect(isHit()).toBe(true);
  };

  it.each(Object.entries(cases))('is checked: %s', async (_name, one) => {
    await open(one.entry, one.files);
    const before = rests();
    expect((await agent.call('srv_hello')).text).toContain('hi');
    await idle(before);
    // Python's own caches do not end the trust.
    const again = rests();
    expect((await agent.call('srv_hello')).text).toContain('hi');
    await attack(one.attack);
    await idle(again);
    await refused(one.names);
    // Control: once trusted, it is what Python loads.
    await runsWhenTrusted();
  });

  it('is never loaded from __pycache__ in the workspace', async () => {
    await open(script);
    const before = rests();
    expect((await agent.call('srv_hello')).text).toContain('hi');
    const tag = spawnSync('python3', [
      '-c',
      'import sys; print(sys.implementation.cache_tag)',
    ]).stdout.toString();
    await attack(compile(`srv/__pycache__/helper.${tag.trim()}.pyc`, 'UNCHECKED_HASH'));
    await idle(before);
    expect((await agent.call('srv_hello')).text).toContain('hi');
    expect(isHit()).toBe(false);
    // Control: Python alone takes it.
    spawnSync('python3', ['srv/server.py'], { cwd: root, input: '' });
    expect(isHit()).toBe(true);
  });

  it('includes its environment in the workspace: .venv, its packages and .pth files', async () => {
    await open({ command: './.venv/bin/python', args: ['srv/server.py'] }, usual, () => {
      expect(spawnSync('python3', ['-m', 'venv', '--without-pip', join(root, '.venv')]).status).toBe(0);
    });
    const before = rests();
    expect((await agent.call('srv_hello')).text).toContain('hi');
    await attack(
      `cd .venv/lib/python3*/site-packages && echo "import os; open('canary', 'w').close()" > x.pth`,
    );
    await idle(before);
    await refused('.venv');
    await runsWhenTrusted();
  });

  it('does not include a data file next to the script', async () => {
    await open(script);
    const before = rests();
    expect((await agent.call('srv_hello')).text).toContain('hi');
    await attack('echo 1 > srv/notes.json; echo 1 > srv/data.db; mkdir srv/data; echo 1 > srv/data/a.csv');
    await idle(before);
    expect((await agent.call('srv_hello')).text).toContain('hi');
  });
});
