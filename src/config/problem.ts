import { formatPath, placeIn } from '../lib/source-place.js';
import type { Path } from '../lib/tree.js';
import { printable } from '../lib/printable.js';
import { type ProblemCode, problemCodes, type Severity } from './codes.js';

/** Something that a person has to fix: where it is, and how to fix it. */
export interface Problem {
  readonly code: ProblemCode;
  readonly severity: Severity;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly path: string;
  readonly message: string;
  readonly remedy: string;
  /** The missing environment variable, if that is the problem. */
  readonly variable?: string;
}

/** A problem with an offset in the text instead of a line and column. */
export interface Finding {
  readonly code: ProblemCode;
  readonly message: string;
  readonly offset?: number;
  readonly path?: Path;
  readonly remedy?: string;
  readonly severity?: Severity;
  readonly variable?: string;
}

export type Report = (finding: Finding) => void;

/** Turns a finding into a problem with line and column, both starting at 1. */
export function createProblem(file: string, text: string, finding: Finding): Problem {
  return Object.freeze({
    code: finding.code,
    severity: finding.severity ?? 'error',
    file,
    ...placeIn(text, finding.offset ?? 0),
    path: formatPath(finding.path ?? []),
    message: printable(finding.message),
    remedy: printable(finding.remedy ?? problemCodes[finding.code].remedy),
    ...(finding.variable !== undefined && { variable: finding.variable }),
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
