import { nearest } from './nearest.js';
import { createToolFilter } from './tool-filter.js';

/** One line for each pattern that names no tool, which is a mistake more often than not. */
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

/** Of a pattern, what stands before its first wildcard is compared with as much of each name. */
function nearestName(pattern: string, names: readonly string[]): string | undefined {
  const [beginning = ''] = pattern.split(/[*?]/);
  if (beginning === pattern) return nearest(pattern, names);
  if (beginning.length < shortestBeginning) return undefined;
  const beginnings = names.map((name) => name.slice(0, beginning.length));
  const near = nearest(beginning, beginnings);
  return near === undefined ? undefined : names[beginnings.indexOf(near)];
}
