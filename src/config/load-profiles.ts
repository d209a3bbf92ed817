import type { ProblemCode, Severity } from './codes.js';
import { parseSource, problemsOf } from './parse-source.js';
import { placeIn } from '../lib/source-place.js';
import { createProblem, type Finding, type Problem } from './problem.js';
import { type ProfilesValues, profilesTable } from './profiles-schema.js';
import { readTree } from './read-tree.js';
import { readSource, type Source } from './source-file.js';
import { findEntry, offsetAt, type Path, type TreeNode } from '../lib/tree.js';

/** A profile as written in the file. `access` interprets its entries. */
export interface WrittenProfile {
  readonly name: string;
  readonly description?: string;
  readonly extends: readonly string[];
  readonly tools: readonly string[];
  readonly seeOnly: readonly string[];
  readonly line: number;
}

export interface WrittenPrincipal {
  readonly principal: string;
  readonly profile?: string;
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

/** A problem with the meaning of the file, found by `access`. */
export interface ProfilesFinding {
  readonly code: ProblemCode;
  readonly severity?: Severity;
  readonly path: Path;
  readonly message: string;
  readonly remedy?: string;
}

export interface LoadedProfiles {
  /** With links resolved. */
  readonly file: string;
  /** Hash of exactly the bytes that were read; absent if reading failed. */
  readonly sha256?: string;
  readonly defaultProfile?: string;
  readonly profiles: readonly WrittenProfile[];
  readonly principals: readonly WrittenPrincipal[];
  readonly problems: readonly Problem[];
  /** Adds the line and column in this file to the finding. */
  problemAt(finding: ProfilesFinding): Problem;
  /** The line of the value at this path. */
  lineAt(path: Path): number;
}

/**
 * Reads a profiles file and reports all syntax and schema problems at once. Never rejects because of the file. The file
 * cannot refer to the environment, so the hash of its bytes covers everything in it.
 */
export async function loadProfiles(path: string, text?: string): Promise<LoadedProfiles> {
  const source = readSource(path, text);
  const { root, findings } = await parseSource(source);
  const found: Finding[] = [...findings];
  const values = readTree(profilesTable, root, {
    text: source.text,
    environment: {},
    report: (finding) => void found.push(finding),
    isLiteral: true,
  });
  const { file, sha256 } = source;
  return Object.freeze({
    file,
    ...(sha256 !== undefined && { sha256 }),
    ...(values.default_profile !== undefined && { defaultProfile: values.default_profile }),
    profiles: profilesOf(values, linesIn(root, source.text)),
    principals: principalsOf(values),
    problems: problemsOf(source, found),
    problemAt: (finding: ProfilesFinding) => problemAt(source, root, finding),
    lineAt: (path: Path) => placeIn(source.text, offsetAt(root, path)).line,
  });
}

function problemAt({ file, text }: Source, root: TreeNode, finding: ProfilesFinding): Problem {
  return createProblem(file, text, { ...finding, offset: offsetAt(root, finding.path) });
}

/** The line of each profile, counted in one pass over the text. */
function linesIn(root: TreeNode, text: string): ReadonlyMap<string, number> {
  const profiles = findEntry(root, ['profiles'])?.value;
  const entries = profiles?.kind === 'map' ? profiles.entries.toSorted((a, b) => a.start - b.start) : [];
  const lines = new Map<string, number>();
  let line = 1;
  let at = 0;
  for (const { key, start } of entries) {
    for (let end = text.indexOf('\n', at); end !== -1 && end < start; end = text.indexOf('\n', at)) {
      line += 1;
      at = end + 1;
    }
    lines.set(key, line);
  }
  return lines;
}

function profilesOf(
  { profiles }: ProfilesValues,
  lines: ReadonlyMap<string, number>,
): readonly WrittenProfile[] {
  return [...profiles].map(([name, { description, extends: parents, tools, see_only: seeOnly }]) => ({
    name,
    ...(description !== undefined && { description }),
    extends: parents,
    tools,
    seeOnly,
    line: lines.get(name) ?? 1,
  }));
}

function principalsOf({ principals }: ProfilesValues): readonly WrittenPrincipal[] {
  return [...principals].map(([principal, { profile, add, remove }]) => ({
    principal,
    ...(profile !== undefined && { profile }),
    add,
    remove,
  }));
}
