import { typeListArguments } from './arguments.js';
import type { SearchContext } from './context.js';
import { quoted } from './failures.js';
import { mistake } from './refusals.js';

const maxShown = 5;
const maxBytes = 256 * 1024;

/** Suggests known names close to one that ripgrep does not know. */
export async function unknownTypeFailure(
  { ripgrep, limits }: SearchContext,
  type: string,
  signal: AbortSignal,
): Promise<Error> {
  let listed = '';
  const deadline = performance.now() + limits.timeMs;
  const take = (chunk: Buffer) => {
    listed += chunk.toString();
    return listed.length < maxBytes;
  };
  await ripgrep.run({ args: typeListArguments, cwd: '/', signal, deadline, take });
  const near = nearest(type, listed);
  const message = `Unknown file type ${quoted(type)}. Similar types: ${near.join(', ')}.`;
  return mistake('unknown_type', message, 'Use one of these types, or use glob instead of type.');
}

/** Lines are `js: *.cjs, *.js, …`. Callers often give one of the extensions instead of the type. */
function nearest(wanted: string, listed: string): readonly string[] {
  const rows = listed.split('\n').filter((line) => line.includes(': '));
  const scored = rows.map((row) => {
    const [name = '', globs = ''] = row.split(': ');
    const hasEnding = globs.split(', ').includes(`*.${wanted.replace(/^\*?\./, '')}`);
    return { name, distance: hasEnding ? 0 : 1 + editDistance(wanted.slice(0, 32).toLowerCase(), name) };
  });
  scored.sort((one, other) => one.distance - other.distance || (one.name < other.name ? -1 : 1));
  return scored.slice(0, maxShown).map(({ name }) => name);
}

function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, char] of Array.from(one).entries()) {
    const next = [at + 1];
    for (let to = 0; to < other.length; to += 1) {
      const replaced = (row[to] ?? 0) + (char === other[to] ? 0 : 1);
      next.push(Math.min(replaced, (row[to + 1] ?? 0) + 1, (next[to] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
