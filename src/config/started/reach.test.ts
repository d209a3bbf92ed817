import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { coverStart, type Start } from './cover-start.js';

let root: string;
beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-reach-')));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

type Files = Readonly<Record<string, string>>;

/** Names in the cover, from the root on. */
function covered(words: readonly string[], files: Files, more: Partial<Start> = {}): readonly string[] {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const [command = '', ...args] = words;
  const start = { command, args, cwd: root, env: {}, path: '/usr/bin', ...more };
  const { files: found, problem } = coverStart(start, [root]);
  expect(problem).toBeUndefined();
  return found.map(({ file }) => file.slice(root.length + 1));
}

const python = ['python3', 'srv/a.py'];
const script = ['./srv/run.sh'];
const of = (...lines: readonly string[]): string => ['#!/bin/sh', ...lines, ''].join('\n');

type Row = readonly [what: string, words: readonly string[], files: Files, seen: string];

const rows: readonly Row[] = [
  [
    'sys.path with a folder beside the script',
    python,
    {
      'srv/a.py':
        'import sys, os\nsys.path.insert(0, os.path.join(os.path.dirname(__file__), "lib"))\nimport helper\n',
    },
    'srv/**',
  ],
  [
    'sys.path by a name made from __file__',
    python,
    {
      'srv/a.py':
        'HERE = Path(__file__).parent\nLIB = HERE / "lib"\nsys.path.insert(\n  0,\n  str(LIB),\n)\n',
    },
    'srv/**',
  ],
  ['sys.path from the folder it runs in', python, { 'srv/a.py': 'sys.path.append("lib")\n' }, '**'],
  [
    'sys.path above the script',
    ['python3', '../srv/a.py'],
    { 'srv/a.py': 'sys.path.insert(0, dirname(dirname(__file__)))\n', 'run/x': '' },
    '**',
  ],
  ['importlib', python, { 'srv/a.py': 'import importlib\n' }, 'srv/**'],
  ['__import__', python, { 'srv/a.py': '__import__(name)\n' }, 'srv/**'],
  ['runpy', python, { 'srv/a.py': 'runpy.run_module(name)\n' }, 'srv/**'],
  ['exec', python, { 'srv/a.py': 'exec(open(f"{__file__}.txt").read())\n' }, 'srv/**'],
  ['site.addsitedir', python, { 'srv/a.py': 'site.addsitedir(dirname(__file__))\n' }, 'srv/**'],
  [
    'a module that the script imports',
    python,
    { 'srv/a.py': 'import b\n', 'srv/b.py': 'import importlib\n' },
    'srv/**',
  ],
  ['python -c', ['python3', '-c', 'import sys; sys.path.insert(0, "srv"); import app'], {}, '**'],
  ['python -c with an import', ['python3', '-c', 'from srv.app import main'], {}, '**'],
  ['node -e', ['node', '-e', 'import(process.argv[1])'], {}, '**'],
  ['node --eval=', ['node', `--eval=require('./srv')`], {}, '**'],
  ['--env-file=', ['node', '--env-file=.env.local', 'a.js'], { '.env.local': '', 'a.js': '' }, '.env.local'],
  ['--env-file', ['node', '--env-file', 'settings', 'a.js'], { settings: '', 'a.js': '' }, 'settings'],
  [
    'what a file of --env-file names',
    ['node', '--env-file-if-exists=.env.local', 'a.js'],
    { '.env.local': 'NODE_OPTIONS="--require ./x.cjs"\n', 'x.cjs': '', 'a.js': '' },
    'x.cjs',
  ],
  ['cd in a line', ['sh', '-c', 'cd srv && exec node a.mjs'], { 'srv/a.mjs': '' }, 'srv/a.mjs'],
  [
    'everything behind cd in a line',
    ['sh', '-c', 'cd srv && exec node a.mjs'],
    { 'srv/a.mjs': '' },
    'srv/**',
  ],
  ['cd after cd', ['sh', '-c', 'cd srv; cd lib; ./go'], { 'srv/lib/go': '' }, 'srv/lib/go'],
  ['cd to a variable', ['sh', '-c', 'cd "$DIR" && exec node a.mjs'], {}, '**'],
  ['$PWD in a line', ['sh', '-c', 'exec node "$PWD/srv/a.mjs"'], {}, '**'],
  ['a command by its variable', ['bash', '-lc', 'exec $RUN'], {}, '**'],
  ['eval', ['sh', '-c', 'eval "node a.mjs"'], {}, '**'],
  ['code in a line', ['sh', '-c', `node -e 'import(x)'`], {}, '**'],
  [
    'a script of npm',
    ['npm', 'run', 'serve'],
    { 'package.json': '{"scripts":{"serve":"node $A/b.js"}}' },
    '**',
  ],
  [
    'cd to the folder of a script',
    script,
    { 'srv/run.sh': of('cd "$(dirname "$0")/lib"', 'exec node a.mjs') },
    'srv/**',
  ],
  [
    '$DIR in a script',
    script,
    { 'srv/run.sh': of('DIR=$(dirname "$0")', 'exec node "$DIR/lib/a.mjs"') },
    'srv/**',
  ],
  [
    'the folder of a script as an absolute path',
    script,
    { 'srv/run.sh': of('DIR="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"', '"$DIR"/a') },
    'srv/**',
  ],
  ['above a script', script, { 'srv/run.sh': of('cd "$(dirname "$0")/.."', 'exec node a.mjs') }, '**'],
  ['$PWD in a script', script, { 'srv/run.sh': of('exec node "$PWD/lib/a.mjs"') }, '**'],
  [
    'a variable of a loader',
    script,
    { 'srv/run.sh': of('export PYTHONPATH=lib', 'exec python3 -m x') },
    '**',
  ],
  ['a script without a #! line', ['sh', 'srv/run'], { 'srv/run': 'exec "$(dirname "$0")/a"\n' }, 'srv/**'],
  [
    'a file that a script reads',
    script,
    { 'srv/run.sh': of('. srv/lib'), 'srv/lib': '"$0.d/a"\n' },
    'srv/**',
  ],
  [
    'a package that a file in reach loads',
    script,
    {
      'srv/run.sh': of('exec node "${0%/*}/a.mjs"'),
      'srv/a.mjs': `import 'dep';`,
      'node_modules/dep/package.json': '{}',
    },
    'node_modules/dep',
  ],
  [
    'a file above that a file in reach loads',
    script,
    { 'srv/run.sh': of('exec node "${0%/*}/a.mjs"'), 'srv/a.mjs': `import '../b.mjs';`, 'b.mjs': '' },
    'b.mjs',
  ],
];

describe('the files that a server may load by computed names', () => {
  it.each(rows)('[15.3] are covered: %s', (what, words, files, seen) => {
    const folder = what === 'sys.path above the script' ? { cwd: join(root, 'run') } : {};
    expect(covered(words, files, folder)).toContain(seen);
  });

  it('[15.3] include the target of a link in the folder', () => {
    mkdirSync(join(root, 'srv'));
    symlinkSync('../shared', join(root, 'srv/lib'));
    const files = { 'srv/run.sh': of('exec node "${0%/*}/lib/a.mjs"'), 'shared/a.mjs': '' };
    expect(covered(script, files)).toContain('shared/**');
  });

  it('[15.3] include only the folder that the server runs in', () => {
    const line = ['sh', '-c', 'exec node "$PWD/a.mjs"'];
    expect(covered(line, { 'srv/a.mjs': '' }, { cwd: join(root, 'srv') })).toEqual(['srv/**']);
  });

  const clear: readonly (readonly [string, readonly string[], Files])[] = [
    ['a literal line', ['sh', '-c', 'exec node srv/a.mjs --port "$PORT" "$@"'], {}],
    [
      'a literal script',
      script,
      { 'srv/run.sh': of('set -e', 'PORT=${PORT:-1}', 'exec node srv/a.mjs "$@"') },
    ],
    [
      'folders of the machine',
      script,
      { 'srv/run.sh': of('export PATH=/opt/bin:$PATH', 'exec node srv/a.mjs') },
    ],
    ['a container', ['sh', '-c', 'docker run -i -v "$PWD:/ws" image'], {}],
    ['data', ['sh', '-c', 'npx -y some-server "$HOME/notes"'], {}],
    [
      'metadata of Python',
      python,
      { 'srv/a.py': 'import importlib.metadata\nfrom importlib.resources import x\n' },
    ],
    ['what nothing imports', ['python3', 'a.py'], { 'a.py': '', 'setup.py': 'sys.path.append("x")' }],
    ['built-in modules', ['node', '-e', `require('node:fs').writeFileSync('a', 'x')`], {}],
  ];
  it.each(clear)('[15.3] do not include the folder: %s', (_what, words, files) => {
    const found = covered(words, { 'srv/a.mjs': '', ...files });
    expect(found.filter((name) => name.endsWith('**'))).toEqual([]);
  });
});
