import type { ProblemCode, Severity } from './codes.js';
import { parseSource, problemsOf } from './parse-source.js';
import { placeIn } from '../kernel/source-place.js';
import { createProblem, type Finding, type Problem } from './problem.js';
import { type ProfilesValues, profilesTable } from './profiles-schema.js';
import { readTree } from './read-tree.js';
import { readSource, type Source } from './source-file.js';
import { findEntry, offsetAt, type Path, type TreeNode } from '../kernel/tree.js';

/** A profile as the file has it. What its words mean is for `access` to say. */
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

/** Something that is wrong with what the file means, found by whoever knows that. */
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
  /** Of exactly the bytes that were read; absent when they could not be. */
  readonly sha256?: string;
  readonly defaultProfile?: string;
  readonly profiles: readonly WrittenProfile[];
  readonly principals: readonly WrittenPrincipal[];
  readonly problems: readonly Problem[];
  /** The finding with its line and column in this file. */
  problemAt(finding: ProfilesFinding): Problem;
  /** The line of what stands at this place. */
  lineAt(path: Path): number;
}

/**
 * Reads a file of profiles and reports all problems of its form at once. Never rejects because of the file. Nothing in
 * it refers to the environment: the hash of its bytes covers all that it says.
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

/** The line of each profile, counted once over the text. */
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
