import type { Source } from '../../src/workflow/finding.js';

/** A value as the tree of a file, without places: for tests that ask what is made of it, not where it stood. */
export function treeOf(value: unknown): Source['root'] {
  const at = { start: 0, end: 0 };
  if (Array.isArray(value)) return { kind: 'list', items: value.map(treeOf), ...at };
  if (typeof value === 'object' && value !== null) {
    return {
      kind: 'map',
      entries: Object.entries(value).map(([key, inner]) => ({ key, start: 0, value: treeOf(inner) })),
      ...at,
    };
  }
  return { kind: 'scalar', value: value as string | number | boolean | null, source: String(value), ...at };
}
