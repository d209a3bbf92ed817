import { nearest } from '../lib/nearest.js';
import { createToolFilter } from './tool-filter.js';

/** One line per pattern that matches no tool, which is usually a typo. */
export function idlePatternLines(
  patterns: readonly string[],
  names: readonly string[],
  before = '--tools: ',
): readonly string[] {
  return patterns.flatMap((pattern) => {
    const plain = pattern.replace(/^!/, '');
    if (names.some(createToolFilter([plain]))) return [];
    const near = nearestName(plain, names);
    return [`${before}no tool is called ${pattern}.${near === undefined ? '' : ` Did you mean "${near}"?`}`];
  });
}

const shortestBeginning = 3;

/** For a pattern, compares the part before the first wildcard with the start of each name. */
function nearestName(pattern: string, names: readonly string[]): string | undefined {
  const [beginning = ''] = pattern.split(/[*?]/);
  if (beginning === pattern) return nearest(pattern, names);
  if (beginning.length < shortestBeginning) return undefined;
  const beginnings = names.map((name) => name.slice(0, beginning.length));
  const near = nearest(beginning, beginnings);
  return near === undefined ? undefined : names[beginnings.indexOf(near)];
}
