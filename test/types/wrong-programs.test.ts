import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = fileURLToPath(new URL('programs', import.meta.url));
const names = readdirSync(folder).filter((name) => name.endsWith('.ts'));

/** A program with one wrong line, and the same with that line put right by the comment below it. */
interface Twins {
  readonly wrong: string;
  readonly right: string;
  /** Counted from zero. */
  readonly line: number;
}

function readTwins(name: string): Twins {
  const lines = readFileSync(join(folder, name), 'utf8').split('\n');
  const marked = lines.flatMap((text, at) => (text.includes('// wrong: ') ? [at] : []));
  const [line = -1] = marked;
  const correction = /^\s*\/\/ right: (.*)$/.exec(lines[line + 1] ?? '')?.[1];
  if (marked.length !== 1 || correction === undefined) throw new Error(`${name} needs one marked line`);
  const right = lines.with(line, correction).toSpliced(line + 1, 1);
  return { wrong: lines.join('\n'), right: right.join('\n'), line };
}

const twins = new Map(names.map((name) => [name, readTwins(name)]));

/** The lines with errors of each program, compiled as the project is. */
function compile(texts: ReadonlyMap<string, string>): ReadonlyMap<string, readonly number[]> {
  const config = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path));
  const { options } = ts.parseJsonConfigFileContent(
    { ...config.config, files: [], include: [] },
    ts.sys,
    root,
  );
  const host = ts.createCompilerHost({ ...options, noEmit: true, incremental: false });
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (path) => texts.has(path) || fileExists(path);
  host.readFile = (path) => texts.get(path) ?? readFile(path);
  host.getSourceFile = (path, version, ...rest) => {
    const text = texts.get(path);
    return text === undefined
      ? getSourceFile(path, version, ...rest)
      : ts.createSourceFile(path, text, version);
  };
  const { tsBuildInfoFile, ...plain } = options;
  const program = ts.createProgram([...texts.keys()], { ...plain, noEmit: true, incremental: false }, host);
  return new Map([...texts.keys()].map((path) => [path, errorLines(program, path)]));
}

function errorLines(program: ts.Program, path: string): readonly number[] {
  const file = program.getSourceFile(path);
  if (file === undefined) throw new Error(`${path} was not compiled`);
  return ts
    .getPreEmitDiagnostics(program, file)
    .map(({ start = 0 }) => file.getLineAndCharacterOfPosition(start).line);
}

describe('a program that breaks a type rule', () => {
  let errors: ReadonlyMap<string, readonly number[]> = new Map();

  beforeAll(() => {
    const texts = new Map<string, string>();
    for (const [name, { wrong, right }] of twins) {
      texts.set(join(folder, name), wrong);
      texts.set(join(dirname(folder), 'programs', `right-${name}`), right);
    }
    errors = compile(texts);
  }, 120_000);

  it('exists for at least ten rules', () => {
    expect(names.length).toBeGreaterThanOrEqual(10);
  });

  it.each(names)('does not compile, for the marked reason: %s', (name) => {
    expect(new Set(errors.get(join(folder, name)))).toEqual(new Set([twins.get(name)?.line]));
  });

  it.each(names)('compiles once it is corrected: %s', (name) => {
    expect(errors.get(join(folder, `right-${name}`))).toEqual([]);
  });
});
