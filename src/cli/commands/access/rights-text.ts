// Prints changes of rights and sets of tools.
import type { OpenAdmin } from '../../../features/admin/index.js';
import { printable } from '../../../config/index.js';
import type { Context } from '../../command.js';
import type { Output } from '../../terminal/output.js';

type AdminService = OpenAdmin['service'];
export type Changed = Omit<
  Awaited<ReturnType<AdminService['profileAssign']>>,
  'principal' | 'profile' | 'replaced'
>;

const labelWidth = 10;

/** A label followed by words, wrapped to the terminal. */
export function labelled(label: string, words: readonly string[], output: Output): void {
  const room = Math.max(20, output.width - labelWidth);
  const lines = wrapped(words.map(printable), room);
  for (const [at, line] of lines.entries())
    output.line(`${(at === 0 ? label : '').padEnd(labelWidth)}${line}`);
}

/** Joins words with commas and wraps between them. */
function wrapped(words: readonly string[], room: number): readonly string[] {
  const lines: string[] = [];
  for (const [at, word] of words.entries()) {
    const text = at < words.length - 1 ? `${word},` : word;
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + text.length > room) lines.push(text);
    else lines[lines.length - 1] = `${last} ${text}`;
  }
  return lines;
}

/** Prints what was added and removed, the tools gained and lost, and the revision. */
export function showChange(
  changed: Changed,
  { output }: Context,
  otherwise = 'this is already in place',
): void {
  const { wrote, removed, opened, closed, notes, revision } = changed;
  for (const { says } of removed) output.line(`${output.paint('red', '-')} ${printable(says)}`);
  for (const { says } of wrote) output.line(`${output.paint('green', '+')} ${printable(says)}`);
  if (!changed.changed) output.line(`No change: ${otherwise}.`);
  showSet('Gained', opened, output);
  showSet('Lost', closed, output);
  output.line(`${'Revision'.padEnd(labelWidth)}${String(revision)}`);
  for (const note of notes) output.note(note);
}

interface Reach {
  readonly see: readonly string[];
  readonly call: readonly string[];
}

/** Prints the tools that can be called, and those that are only visible. */
export function showSet(label: string, { see, call }: Reach, output: Output): void {
  const callable = new Set(call);
  const seen = see.filter((name) => !callable.has(name));
  if (call.length > 0) labelled(label, call, output);
  const [first, ...rest] = seen;
  if (first !== undefined)
    labelled(call.length > 0 ? '' : label, [`visible only: ${first}`, ...rest], output);
}

/** `2026-01-31 12:00`, always in UTC. */
export function shortTime(time: string | number): string {
  return new Date(time).toISOString().slice(0, 16).replace('T', ' ');
}
