import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { splitAtCommas } from './braces.js';
import { parseGlob } from './glob.js';

/** Whether a path of the workspace matches, with the folder that the pattern itself names taken off. */
function matches(pattern: string, path: string): boolean {
  const { folder, matches: fits } = parseGlob([pattern]);
  if (folder === '') return fits(path);
  return path.startsWith(`${folder}/`) && fits(path.slice(folder.length + 1));
}

describe('a glob', () => {
  it.each([
    ['*.ts', 'a.ts', true],
    ['*.ts', 'deep/er/a.ts', true],
    ['./*.ts', 'a.ts', true],
    ['./*.ts', 'deep/a.ts', false],
    ['**/*.ts', 'a.ts', true],
    ['**/*.ts', 'a/b/c.ts', true],
    ['**/*.ts', 'a/b/c.tsx', false],
    ['src/**/*.ts', 'src/a.ts', true],
    ['src/**/*.ts', 'src/a/b/c.ts', true],
    ['src/**/*.ts', 'other/src/a.ts', false],
    ['src/*.ts', 'src/a/b.ts', false],
    ['src/**', 'src/a/b', true],
    ['src/', 'src/a/b', true],
    ['**', 'a/b/c', true],
    ['**/**/a', 'x/y/a', true],
    ['a/**/b/**/c', 'a/b/c', true],
    ['a/**/b/**/c', 'a/x/b/y/z/c', true],
    ['a/**/b/**/c', 'a/x/c', false],
    ['*.{ts,tsx}', 'a.tsx', true],
    ['*.{ts,tsx}', 'a.js', false],
    ['{src,test}/**/*.{j,t}s', 'test/x/a.js', true],
    ['{src,test}/**/*.{j,t}s', 'lib/x/a.js', false],
    ['{a,b{c,d}}/x', 'bd/x', true],
    ['{a,b{c,d}}/x', 'b/x', false],
    ['file?.txt', 'file1.txt', true],
    ['file?.txt', 'file.txt', false],
    ['?', '\u{1f600}', true],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['[^a-c]x', 'dx', true],
    ['[]]', ']', true],
    ['[a-]', '-', true],
    ['\\*', '*', true],
    ['\\*', 'a', false],
    ['\\{a,b\\}', '{a,b}', true],
    ['#x', '#x', true],
    ['!x', '!x', true],
    ['-x', '-x', true],
    ['a b ', 'a b ', true],
    ['*a*', 'bab', true],
    ['*.*', 'a', false],
    ['.*', '.env', true],
    ['*', '.env', true],
    ['**/.*/x', 'a/.b/x', true],
    ['a//b', 'a/b', true],
    ['a/./b', 'a/b', true],
    ['*/../../*', 'etc/passwd', false],
    ['a/**', 'a', false],
    ['?/**', 'a', false],
    ['?/**', 'a/b', true],
    ['**/a/**', 'a', false],
    ['**/**', 'a', true],
  ])('%s and %s: %s', (pattern, path, expected) => {
    expect(matches(pattern, path)).toBe(expected);
  });

  it('returns the folder that contains all its matches, and their maximum depth', () => {
    expect(parseGlob(['src/app/*.ts'])).toMatchObject({ folder: 'src/app', depth: 1, names: ['*.ts'] });
    expect(parseGlob(['src/{a,b}/*/x'])).toMatchObject({ folder: 'src', depth: 3, names: ['x'] });
    expect(parseGlob(['/abs/lib/**'])).toMatchObject({ folder: '/abs/lib', matchesAll: true });
    expect(parseGlob(['../x/*'])).toMatchObject({ folder: '../x' });
    expect(parseGlob(['a.ts'])).toMatchObject({ folder: '', names: ['a.ts'] });
    expect(parseGlob(['a/b.ts', 'a/c/d.js'])).toMatchObject({ folder: 'a', depth: 2 });
    expect(parseGlob(['**/*'])).toMatchObject({ matchesAll: true });
    expect(parseGlob(['**/?'])).toMatchObject({ matchesAll: false });
  });

  it('gives ripgrep names that mean the same in every dialect, and are never stricter', () => {
    const names = (pattern: string) => parseGlob([pattern]).names;
    expect(names('*.{ts,tsx}')).toEqual(['*.ts', '*.tsx']);
    expect(names('a:b[c]?é!.x')).toEqual(['a*b*.x']);
    expect(names('-x')).toEqual(['-x']);
    expect(names('é*')).toBeUndefined();
    expect(names(`{${Array.from({ length: 40 }, (_, at) => `n${at}`).join(',')}}`)).toBeUndefined();
  });

  it.each([
    ['[', 'without its ]'],
    ['{a,b', 'without its }'],
    ['{/a,b}', 'mixes'],
    ['{a,b}'.repeat(12), 'alternatives'],
    [`${'{a,'.repeat(2000)}${'}'.repeat(2000)}`, 'alternatives'],
  ])('%s is refused with the reason', (pattern, reason) => {
    expect(() => parseGlob([pattern])).toThrow(reason);
  });

  it('takes at most as many steps as the product of both lengths, for any pattern', () => {
    const name = 'a'.repeat(255);
    expect(matches(`${'*a'.repeat(60)}*b`, name)).toBe(false);
    expect(matches(`${'**/'.repeat(500)}${'*a/'.repeat(500)}b`, `${'aa/'.repeat(1000)}c`)).toBe(false);
  });

  it('matches like a plain reference implementation', () => {
    const letters = fc.stringMatching(/^[ab*?/]{1,9}$/);
    const path = fc.stringMatching(/^[ab]{1,3}(?:\/[ab]{1,3}){0,3}$/);
    fc.assert(
      fc.property(letters, path, (pattern, given) => {
        const anchored = `./${pattern}`;
        if (anchored.endsWith('/') || anchored.includes('//') || /[^/]\*\*|\*\*[^/]/.test(anchored)) return;
        const steps = pattern.split('/').filter((step, at, all) => step !== '**' || all[at - 1] !== '**');
        expect(matches(anchored, given)).toBe(plainly(steps, given.split('/')));
      }),
      { numRuns: 30_000 },
    );
  });
});

/** By trying everything. */
function plainly(steps: readonly string[], names: readonly string[]): boolean {
  const [step, ...rest] = steps;
  if (step === undefined) return names.length === 0;
  if (step === '**' && rest.length === 0) return names.length > 0;
  if (step === '**') return plainly(rest, names) || (names.length > 0 && plainly(steps, names.slice(1)));
  const [name, ...others] = names;
  return name !== undefined && fitsName(step, name) && plainly(rest, others);
}

function fitsName(step: string, name: string): boolean {
  if (step === '') return name === '';
  if (step.startsWith('*'))
    return fitsName(step.slice(1), name) || (name !== '' && fitsName(step, name.slice(1)));
  return (
    name !== '' && (step.startsWith('?') || step[0] === name[0]) && fitsName(step.slice(1), name.slice(1))
  );
}

it('splits globs at commas outside braces and sets', () => {
  expect(splitAtCommas('*.ts, *.{js,jsx} ,[,],!x\\,y,')).toEqual(['*.ts', '*.{js,jsx}', '[,]', '!x\\,y']);
});
