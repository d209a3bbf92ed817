import { createProblem, type Finding, type Problem } from './problem.js';
import type { ShapeMemory } from './shape-memory.js';
import type { Source } from './source-file.js';
import { emptyMap, type TreeNode } from '../lib/tree.js';
import { shapeOf, treeOf } from './tree-shape.js';

/** Longer reports are not useful. */
const MOST_PROBLEMS = 100;

export interface Parsed {
  readonly root: TreeNode;
  readonly findings: readonly Finding[];
}

/** Parses a file into a tree with positions. `shapes` caches the structure of known files. */
export async function parseSource(source: Source, shapes?: ShapeMemory): Promise<Parsed> {
  const { file, text, sha256 = '', finding } = source;
  if (finding !== undefined) return { root: emptyMap, findings: [finding] };
  if (text.trim() === '') return { root: emptyMap, findings: [] };
  const known = shapes?.recall(file, sha256);
  const root = known && treeOf(known, text);
  if (root) return { root, findings: [] };
  // Loading the YAML library takes longer than reading most files.
  const { parseText } = await import('./yaml-tree.js');
  const parsed = parseText(text);
  const shape = shapes && parsed.findings.length === 0 ? shapeOf(parsed.root, text) : undefined;
  if (shape) shapes?.keep(file, sha256, shape);
  return parsed;
}

/** Findings with line and column, in file order. */
export function problemsOf({ file, text }: Source, findings: readonly Finding[]): Problem[] {
  const ordered = findings.toSorted((a, b) => (a.offset ?? 0) - (b.offset ?? 0));
  const shown = ordered.slice(0, MOST_PROBLEMS);
  const rest = ordered.length - shown.length;
  if (rest > 0) {
    const { offset = 0 } = ordered[MOST_PROBLEMS] ?? {};
    shown.push({
      code: 'config.too_many_problems',
      offset,
      message: `${rest} more problems follow.`,
    });
  }
  return shown.map((finding) => createProblem(file, text, finding));
}
