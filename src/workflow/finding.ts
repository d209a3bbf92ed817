import { formatPath, placeIn } from '../lib/source-place.js';
import type { Path, TreeNode } from '../lib/tree.js';
import { printable } from '../lib/printable.js';
import { type Severity, type WorkflowCode, workflowCodes } from './codes.js';

/** A text and the tree parsed from it. */
export interface Source {
  readonly file: string;
  readonly text: string;
  readonly root: TreeNode;
}

/** A problem in a workflow, with its position and a suggested fix. */
export interface Finding {
  readonly code: WorkflowCode;
  readonly severity: Severity;
  readonly file: string;
  readonly line: number;
  readonly column: number;
  readonly path: string;
  readonly message: string;
  readonly remedy: string;
}

/** A finding before its position and defaults are filled in. */
export interface Flaw {
  readonly code: WorkflowCode;
  readonly message: string;
  readonly source: Source;
  readonly offset: number;
  readonly path: Path;
  readonly remedy?: string;
  readonly severity?: Severity;
}

export type Report = (flaw: Flaw) => void;

export function findingOf(flaw: Flaw): Finding {
  const row = workflowCodes[flaw.code];
  return Object.freeze({
    code: flaw.code,
    severity: flaw.severity ?? row.severity,
    file: flaw.source.file,
    ...placeIn(flaw.source.text, flaw.offset),
    path: formatPath(flaw.path),
    message: printable(flaw.message),
    remedy: printable(flaw.remedy ?? row.remedy),
  });
}

/** Sorts by position and removes duplicates. */
export function orderedFindings(findings: readonly Finding[]): readonly Finding[] {
  const known = new Set<string>();
  return findings
    .filter((finding) => {
      const key = JSON.stringify(finding);
      return !known.has(key) && known.add(key);
    })
    .toSorted(
      (a, b) =>
        a.file.localeCompare(b.file) ||
        a.line - b.line ||
        a.column - b.column ||
        a.code.localeCompare(b.code),
    );
}

/** One line for a terminal: `file:line:column: error CODE: message Remedy`. */
export function describeFinding(
  { file, line, column, severity, code, message, remedy }: Finding,
  shown: (severity: Finding['severity']) => string = (word) => word,
): string {
  return `${printable(file)}:${line}:${column}: ${shown(severity)} ${code}: ${message} ${remedy}`;
}

export function hasErrors(findings: readonly Finding[]): boolean {
  return findings.some(({ severity }) => severity === 'error');
}
