import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { coverStart, type Start } from './cover-start.js';
import { changedFiles } from './covered.js';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-runtimes-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const file = (name: string, text = ''): void => {
  mkdirSync(dirname(join(root, name)), { recursive: true });
  writeFileSync(join(root, name), text);
};

/** What is not as it was after a change, from the root on. */
function changed(
  start: Pick<Start, 'command' | 'args'> & Partial<Start>,
  files: Readonly<Record<string, string>>,
  change: Readonly<Record<string, string>>,
): readonly string[] {
  for (const [name, text] of Object.entries(files)) file(name, text);
  const look = () => {
    const { files: found, problem } = coverStart({ cwd: root, env: {}, path: '/usr/bin', ...start }, [root]);
    expect(problem).toBeUndefined();
    return found;
  };
  const before = Object.fromEntries(look().map((one) => [one.file, one.sha256]));
  for (const [name, text] of Object.entries(change)) file(name, text);
  return changedFiles(before, look()).map((path) => path.slice(root.length + 1));
}

type Row = readonly [
  what: string,
  line: string,
  files: Readonly<Record<string, string>>,
  attack: Readonly<Record<string, string>>,
  seen: string,
];

const loads = `import 'zod';\n`;
const rows: readonly Row[] = [
  ['python: an extension module', 'python3 a.py', { 'a.py': '' }, { '_json.abi3.so': 'x' }, '_json.abi3.so'],
  [
    'python: a folder as a program',
    'python3 app',
    { 'app/__main__.py': '' },
    { 'app/json.py': '' },
    'app/json.py',
  ],
  ['python: its input', 'python3 -', {}, { 'json.py': '' }, 'json.py'],
  [
    'python in a line for a shell',
    'sh -c "exec python3 srv/a.py"',
    { 'srv/a.py': '' },
    { 'srv/json.py': '' },
    'srv/json.py',
  ],
  ['uv: a module', 'uv run a.py', { 'a.py': '' }, { 'json.py': '' }, 'json.py'],
  ['uv: its settings', 'uv run srv', {}, { 'uv.toml': '' }, 'uv.toml'],
  ['uv: a build script', 'uv run srv', { 'pyproject.toml': '' }, { 'setup.py': '' }, 'setup.py'],
  [
    'uvx: a package of the workspace',
    'uvx --from ./pkg srv',
    { 'pkg/pyproject.toml': '' },
    { 'pkg/a/b.py': 'x' },
    'pkg/**',
  ],
  ['poetry: a package below src', 'poetry run srv', {}, { 'src/json/__init__.py': '' }, 'src/json/**/*.py'],
  [
    'node: a nearer package',
    'node srv/a.mjs',
    { 'srv/a.mjs': loads, 'node_modules/zod/package.json': '{}' },
    { 'srv/node_modules/zod/package.json': '{}' },
    'srv/node_modules/zod',
  ],
  [
    'node: a nearer package.json',
    'node srv/a.js',
    { 'srv/a.js': '', 'package.json': '{}' },
    { 'srv/package.json': '{"type":"module"}' },
    'srv/package.json (type and names)',
  ],
  [
    'node: another type',
    'node srv/a.js',
    { 'srv/a.js': '', 'package.json': '{}' },
    { 'package.json': '{"type":"module"}' },
    'package.json (type and names)',
  ],
  [
    'tsx: TypeScript beside JavaScript',
    'tsx a.ts',
    { 'a.ts': `import './b.js';`, 'b.js': '' },
    { 'b.ts': '' },
    'b.ts',
  ],
  ['tsx: settings', 'tsx srv/a.ts', { 'srv/a.ts': '' }, { 'srv/tsconfig.json': '{}' }, 'srv/tsconfig.json'],
  [
    'tsx: what paths lead to',
    'tsx a.ts',
    {
      'a.ts': `import '@/b';`,
      'tsconfig.json': '{"compilerOptions":{"paths":{"@/*":["./src/*"]}}}',
      'src/b.ts': '',
    },
    { 'src/b.ts': 'x' },
    'src/**',
  ],
  [
    'tsx: what settings extend',
    'tsx a.ts',
    { 'a.ts': '', 'tsconfig.json': '{"extends":"./base"}', 'base.json': '{}' },
    { 'base.json': '{"a":1}' },
    'base.json',
  ],
  ['bun: settings', 'bun run a.ts', { 'a.ts': '' }, { 'bunfig.toml': '' }, 'bunfig.toml'],
  ['deno: settings', 'deno run a.ts', { 'a.ts': '' }, { 'deno.json': '{}' }, 'deno.json'],
  [
    'npm: settings above',
    'npm --prefix srv run go',
    { 'srv/package.json': '{"scripts":{"go":"true"}}' },
    { '.npmrc': '' },
    '.npmrc',
  ],
  ['ruby: a file beside the script', 'ruby srv/a.rb', { 'srv/a.rb': '' }, { 'srv/b.rb': '' }, 'srv/**'],
  ['ruby: -I', 'ruby -Ilib srv/a.rb', { 'srv/a.rb': '', 'lib/b.rb': '' }, { 'lib/json.rb': '' }, 'lib/**'],
  [
    'ruby: the project of the script',
    'ruby bin/a.rb',
    { 'bin/a.rb': '', Gemfile: '' },
    { '.bundle/config': 'x' },
    '**',
  ],
  ['perl: a file beside the script', 'perl srv/a.pl', { 'srv/a.pl': '' }, { 'srv/dep.inc': '' }, 'srv/**'],
  [
    'java: a folder of classes',
    'java -cp ./classes:./lib/* Main',
    { 'classes/Main.class': 'x', 'lib/a.jar': '' },
    { 'lib/b.jar': '' },
    'lib/**',
  ],
  ['make: what it includes', 'make serve', { Makefile: 'include rules.txt' }, { 'rules.txt': '' }, '**'],
  ['cargo', 'cargo run', { 'Cargo.toml': '' }, { 'build.rs': '' }, '**'],
  ['go', 'go run ./cmd', { 'go.mod': '', 'cmd/a.go': '' }, { 'cmd/b.go': '' }, '**'],
  ['docker compose', 'docker compose up', {}, { 'compose.yaml': '' }, '**'],
];

describe('the files that a runtime loads from the workspace by default', () => {
  it.each(rows)('include: %s', (_what, line, files, attack, seen) => {
    const [command = '', ...args] = line.match(/"[^"]*"|\S+/g)?.map((word) => word.replaceAll('"', '')) ?? [];
    expect(changed({ command, args }, files, attack)).toContain(seen);
  });

  const harmless: readonly (readonly [
    string,
    string,
    Readonly<Record<string, string>>,
    Readonly<Record<string, string>>,
  ])[] = [
    [
      'data beside a Python script',
      'python3 srv/a.py',
      { 'srv/a.py': '' },
      { 'srv/a.csv': '', 'srv/data/b.json': '', 'json.py': '' },
    ],
    ['caches of Python', 'python3 -m a', { 'a.py': '' }, { '__pycache__/a.cpython-311.pyc': 'x' }],
    ['an isolated Python', 'python3 -I -m outside', {}, { 'json.py': '' }],
    [
      'other keys of package.json',
      'node srv/a.js',
      { 'srv/a.js': '', 'package.json': '{}' },
      { 'package.json': '{"scripts":{}}' },
    ],
    [
      'sources beside what Node runs',
      'node a.js',
      { 'a.js': `require('./b.js')`, 'b.js': '' },
      { 'b.ts': '' },
    ],
    [
      'a database beside a Ruby script',
      'ruby srv/a.rb',
      { 'srv/a.rb': '' },
      { 'srv/a.db': '', 'srv/a.db-wal': '', 'b.rb': '' },
    ],
    ['a container from elsewhere', 'docker run -i --rm -v .:/ws image', {}, { 'a.js': '' }],
    ['a program of Go from elsewhere', 'go run example.com/a@latest', {}, { 'a.go': '' }],
  ];
  it.each(harmless)('do not include: %s', (_what, line, files, change) => {
    const [command = '', ...args] = line.split(' ');
    expect(changed({ command, args }, files, change)).toEqual([]);
  });

  it('include folders named in variables', () => {
    const python = { command: 'python3', args: ['srv/a.py'], env: { PYTHONPATH: '.' } };
    expect(changed(python, { 'srv/a.py': '' }, { 'sitecustomize.py': '' })).toContain('sitecustomize.py');
    const node = { command: 'node', args: ['srv/a.cjs'], env: { NODE_PATH: '.' } };
    expect(changed(node, { 'srv/a.cjs': `require('dep')` }, { 'dep/index.js': '' })).toContain(
      'dep/index.js',
    );
  });

  it('include the file that selects a version, for a shim', () => {
    const shims = join(root, '..', `${root.split('/').at(-1) ?? ''}-outside`, 'shims');
    mkdirSync(shims, { recursive: true });
    writeFileSync(join(shims, 'node'), '#!/bin/sh\n');
    chmodSync(join(shims, 'node'), 0o755);
    const start = { command: 'node', args: ['a.js'], path: shims };
    expect(changed(start, { 'a.js': '' }, { '.tool-versions': 'nodejs path:./evil' })).toEqual([
      '.tool-versions',
    ]);
    rmSync(dirname(shims), { recursive: true });
  });

  it('include a Python environment and the targets of its installs', () => {
    const start = { command: './.venv/bin/python', args: ['a.py'] };
    const files = {
      'a.py': '',
      '.venv/bin/python': '',
      '.venv/pyvenv.cfg': 'home = /usr/bin',
      '.venv/lib/python3.11/site-packages/x.pth': '../../../../lib\n',
      '.venv/lib/python3.11/site-packages/__editable___y_finder.py': `MAPPING = {'y': '${join(root, 'src/y')}'}`,
      'src/y/__init__.py': '',
    };
    expect(changed(start, files, { '.venv/pyvenv.cfg': 'home = ./evil' })).toEqual(['.venv/pyvenv.cfg']);
    expect(changed(start, files, { '.venv/lib/python3.11/site-packages/z.py': '' })).toEqual([
      '.venv/lib/**',
    ]);
    expect(changed(start, files, { 'lib/json.py': '' })).toEqual(['lib/json.py']);
    expect(changed(start, files, { 'src/y/late.py': '' })).toContain('src/y/**/*.py');
  });
});
