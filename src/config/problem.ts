import { printable } from '../kernel/index.js';
import { type ProblemCode, problemCodes, type Severity } from './codes.js';

/** Where in the tree of the configuration: keys and list positions from the root. */
export type Path = readonly (string | number)[];

/** Something that a person has to correct, with the place and the way. */
export interface Problem {
  readonly code: ProblemCode;
  readonly severity: Severity;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly path: string;
  readonly message: string;
  readonly remedy: string;
}

/** A problem as its finder sees it: by offset in the text. */
export interface Finding {
  readonly code: ProblemCode;
  readonly message: string;
  readonly offset?: number;
  readonly path?: Path;
  readonly remedy?: string;
  readonly severity?: Severity;
}

export type Report = (finding: Finding) => void;

/** A finding with its place in the file. The first line and column are 1. */
export function createProblem(file: string, text: string, finding: Finding): Problem {
  return Object.freeze({
    code: finding.code,
    severity: finding.severity ?? 'error',
    file,
    ...placeOf(text, finding.offset ?? 0),
    path: formatPath(finding.path ?? []),
    message: printable(finding.message),
    remedy: printable(finding.remedy ?? problemCodes[finding.code].remedy),
  });
}

/** One line for a terminal or a log: `file:line:column: error config.reason: message Remedy`. */
export function describeProblem(problem: Problem): string {
  const place = `${printable(problem.file)}:${problem.line}:${problem.column}`;
  return `${place}: ${problem.severity} ${problem.code}: ${problem.message} ${problem.remedy}`;
}

export function hasErrors(problems: readonly Problem[]): boolean {
  return problems.some((problem) => problem.severity === 'error');
}

/** `servers.github.args[0]`; a key that is not a plain word is quoted. */
export function formatPath(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    if (!/^[\w$-]{1,64}$/.test(step)) return `${text}[${quote(step)}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}

/** Text of the file for use inside a message: short, in quotes, harmless to a terminal. */
export function quote(text: string): string {
  const short = text.length > 60 ? `${text.slice(0, 59)}…` : text;
  return printable(JSON.stringify(short));
}

/** The line and column of an offset; both begin with 1. */
export function placeOf(text: string, offset: number): { readonly line: number; readonly column: number } {
  let line = 1;
  let start = 0;
  for (let next = text.indexOf('\n'); next !== -1 && next < offset; next = text.indexOf('\n', start)) {
    line += 1;
    start = next + 1;
  }
  return { line, column: Math.min(offset, text.length) - start + 1 };
}
