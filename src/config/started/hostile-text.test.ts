import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { coverStart } from './cover-start.js';
import { variablesIn } from './environment-file.js';
import { javaScriptNames, pythonNames } from './module-names.js';
import { reachOfPython } from './python-reach.js';
import { reachOfShell } from './shell-reach.js';

const size = 200_000;
/** Repeats a part up to 200 kB. */
const many = (part: string): string => part.repeat(Math.ceil(size / part.length));

// A pattern that backtracks takes minutes or forever here, and runs into the time limit of the test.
describe('[15.3] text that an agent wrote to block the gateway', () => {
  it.each([
    `require(${many('/**/')}x`,
    `require(${many('/*require(/**/')}x`,
    `import(${many('/* a */ ')}`,
    many('import/*'),
    many('from//'),
    `${many('require(/*')}*/${' '.repeat(size)}'a'`,
    `${many('require(/*')}*/'${'a'.repeat(size)}'`,
    many('createRequire('),
    `createRequire(${many('()')}`,
    many('a=createRequire(u);').replace(/a=/g, () => `a${String(Math.random()).slice(2)}=`),
    `a${many(' ')}`,
    many(`'./`),
    `'./${many('.js')}`,
    `from'${many('?')}`,
    many('new URL('),
  ])('is scanned once as JavaScript: case %#', (text) => {
    expect(javaScriptNames(`${text}\nimport './last.mjs'`)).toBeDefined();
    expect(javaScriptNames(`import './first.mjs'\n${text}`).paths).toContain('./first.mjs');
  });

  it.each([
    `sys.path\n${many('\n')}!`,
    `sys.path\n${many(' ')}!`,
    many('from sys import '),
    many('exec('),
    many('exec(__file__,'),
    `sys.path\n${many('a=__file__\n').replace(/a=/g, () => `a${String(Math.random()).slice(2)}=`)}`,
    many('dirname('),
    `sys.path.parent${many(' ')}`,
    many('aFileLoade'),
  ])('is scanned once as Python: case %#', (text) => {
    expect(reachOfPython(text)).toMatch(/^(?:nothing|own|cwd|root)$/);
    expect(pythonNames(`import first\n${text}`).paths).toContain('./first');
  });

  it('is scanned once as Python: imports with long paths', () => {
    const names = many('a,');
    expect(pythonNames(`from ${'.'.repeat(size)} import ${names}`).paths).toEqual([]);
    expect(pythonNames(`from ${'a.'.repeat(size)} import ${names}`).paths).toEqual([]);
    expect(pythonNames(`from .. import a, b`).paths).toEqual(['../', '..//a', '..//b']);
  });

  it.each([many('\n'), `A=${many(' ')}x`, `A="${many('" ')}x`, many(' export '), `export${many(' ')}A`])(
    'is scanned once as variables: case %#',
    (text) => {
      expect(variablesIn(`${text}\n export B = "./b.mjs" \nC=./c`)).toMatchObject({ B: './b.mjs', C: './c' });
    },
  );

  it.each([
    `eval\n${many('\n')}!`,
    many('$(a)'),
    many('$('),
    many('`a'),
    many('${'),
    many(`"'`),
    `;${many(' ')}`,
  ])('is scanned once as a shell script: case %#', (text) => {
    expect(reachOfShell(text).reach).toMatch(/^(?:nothing|own|cwd|root)$/);
  });

  describe('in files', () => {
    let root: string;
    beforeEach(() => {
      root = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-hostile-')));
    });
    afterEach(() => rmSync(root, { recursive: true, force: true }));
    const cover = (files: Readonly<Record<string, string>>, command: string, ...args: readonly string[]) => {
      for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
      return coverStart({ command, args, cwd: root, env: {} }, [root]);
    };

    it('is scanned once as a TypeScript configuration, even if files extend each other', () => {
      const ends = many('"extends":"./tsconfig.json",');
      expect(
        cover({ 'a.ts': '', 'tsconfig.json': `{${ends}${many('"paths":{')}` }, 'tsx', 'a.ts').problem,
      ).toBeUndefined();
    });

    it.each([
      ['a program', 'a.mjs', 'node', ['a.mjs'], ' '.repeat(17 * 1024 * 1024), 'larger than 16 MiB'],
      ['an env file', 'e', 'node', ['--env-file=e'], many('A=b\n').repeat(2), 'larger than 256 KiB'],
    ])('is too large to be trusted: %s', (_name, file, command, args, text, reason) => {
      expect(cover({ [file]: text }, command, ...args).problem).toContain(reason);
    });

    it('refers to too many files to be trusted', () => {
      const names = Array.from({ length: 6_000 }, (_, at) => `import './${String(at)}.json'`);
      expect(cover({ 'a.mjs': names.join('\n') }, 'node', 'a.mjs').problem).toContain('more than 5000');
    });
  });
});
