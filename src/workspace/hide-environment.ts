import { closeSync, openSync, readFileSync, writeSync } from 'node:fs';
import { childBaseNames } from '../config/index.js';
import { markName } from '../services/processes/mark.js';

/** Variables that every child gets anyway, and the mark by which an outer gateway finds this one. */
const shown = new Set<string>([...childBaseNames, markName]);

/**
 * Erases the environment block of this process, except variables that every child gets. Linux exposes the block to all
 * processes of the user as `/proc/<pid>/environ`. The values stay in `env`. See docs/decisions/0030.
 * `tidegate doctor` reports if this does not work.
 */
export function hideEnvironment(env: Record<string, string | undefined>): void {
  if (process.platform !== 'linux') return;
  const values = Object.entries(env).filter(([name]) => !shown.has(name));
  // Setting a variable makes the C library copy it, so nothing reads these from the block afterwards.
  const keep = (): void => values.forEach(([name, value]) => void (env[name] = value));
  keep();
  try {
    blank();
  } catch {
    // No /proc, or it is not writable.
  }
  if (values.some(([name, value]) => env[name] !== value)) keep();
}

/** Names that other processes of the user can read, without those that every child gets. */
export function readableVariables(): readonly string[] {
  const block = readFileSync('/proc/self/environ');
  return entriesOf(block).map(([from, to]) => nameOf(block.subarray(from, to)));
}

/** Overwrites in place, because the C library holds pointers to the remaining entries. */
function blank(): void {
  const block = readFileSync('/proc/self/environ');
  const { start, end } = blockAddress();
  if (end - start !== block.length) return;
  for (const [from, to] of entriesOf(block)) block.fill(0, from, to);
  const memory = openSync('/proc/self/mem', 'r+');
  try {
    writeSync(memory, block, 0, block.length, start);
  } finally {
    closeSync(memory);
  }
}

/** From proc(5): `env_start` and `env_end` are fields 50 and 51; the program name before them may contain any character. */
function blockAddress(): { readonly start: number; readonly end: number } {
  const stat = readFileSync('/proc/self/stat', 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return { start: Number(fields[47]), end: Number(fields[48]) };
}

/** Start and end of each entry to hide. */
function entriesOf(block: Buffer): readonly (readonly [from: number, to: number])[] {
  const found: (readonly [number, number])[] = [];
  for (let from = 0; from < block.length; ) {
    const zero = block.indexOf(0, from);
    const to = zero < 0 ? block.length : zero;
    if (to > from && !shown.has(nameOf(block.subarray(from, to)))) found.push([from, to]);
    from = to + 1;
  }
  return found;
}

function nameOf(entry: Buffer): string {
  return entry.toString('utf8').split('=', 1)[0] ?? '';
}
