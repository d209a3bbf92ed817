import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

// One word per idea: these are replaced by the field's own words and stay out.
const wordsNowhere = {
  test: (line: string): boolean =>
    /\b(?:corridors?|turnstiles?|wordsOf|desks?|keepers?|house plan)\b/i.test(line) ||
    /[a-z](?:Desk|Keeper)(?!top)|\b(?:Desk|desk|Keeper|keeper)[A-Z]/.test(line),
};
const noIdentifiers =
  /\b(?:Directory|Link|Rounds)\b|\b(?:[A-Za-z]\w*)?(?:Door|Wish|Bridge|Surface|Judge)s?(?:[A-Z]\w*)?\b/;

const root = fileURLToPath(new URL('../..', import.meta.url));
const self = relative(root, fileURLToPath(import.meta.url));
const folders = ['src', 'test', 'scripts', 'bench', 'docs', 'examples'];
const text = /\.(?:ts|mjs|cjs|md|yaml)$/;

function* filesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && entry.name !== 'node_modules') yield* filesBelow(path);
    else if (entry.isFile() && text.test(entry.name) && path !== self) yield path;
  }
}

function linesWith(
  pattern: Pick<RegExp, 'test'>,
  files: readonly string[],
  shape = (line: string) => line,
): readonly string[] {
  return files.flatMap((file) =>
    readFileSync(join(root, file), 'utf8')
      .split('\n')
      .flatMap((line, at) =>
        pattern.test(shape(line)) ? [`${file}:${String(at + 1)}: ${line.trim()}`] : [],
      ),
  );
}

/** Comments and strings may use the English word. */
function codeOf(line: string): string {
  const withoutStrings = line.replace(
    /'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`\\]|\\.)*`|\/(?![/*])(?:[^/\\]|\\.)+\//g,
    "''",
  );
  return /^\s*(?:\*|\/\*)/.test(withoutStrings) ? '' : withoutStrings.replace(/\/\/.*$|\/\*.*?\*\//g, '');
}

describe('the glossary', () => {
  const files = [
    ...folders.flatMap((folder) => [...filesBelow(folder)]),
    'README.md',
    'AGENTS.md',
    'CHANGELOG.md',
    'CONTRIBUTING.md',
  ];

  it('keeps replaced words out of code, tests and docs', () => {
    expect(linesWith(wordsNowhere, files)).toEqual([]);
  });

  it('keeps replaced words out of identifiers', () => {
    const code = files.filter((file) => file.endsWith('.ts') && !file.includes('fixtures'));
    expect(linesWith(noIdentifiers, code, codeOf)).toEqual([]);
  });

  it('control: finds a replaced word in prose and in code', () => {
    expect(wordsNowhere.test('Ask at the desk.')).toBe(true);
    expect(wordsNowhere.test('openTokenDesk(')).toBe(true);
    expect(wordsNowhere.test('Claude Desktop')).toBe(false);
    expect(noIdentifiers.test(codeOf('const x: RunWish = y;'))).toBe(true);
    expect(noIdentifiers.test(codeOf("if (stats.isSymbolicLink()) throw new Error('a Link');"))).toBe(false);
  });
});
