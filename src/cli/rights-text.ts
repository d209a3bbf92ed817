// How changes of rights and sets of tools are told to people.
import type { OpenDesk } from '../app/desk.js';
import { printable } from '../config/index.js';
import type { Context } from './command.js';
import type { Output } from './output.js';

type Desk = OpenDesk['desk'];
export type Changed = Omit<Awaited<ReturnType<Desk['profileAssign']>>, 'principal' | 'profile' | 'replaced'>;

const labelWidth = 10;

/** A label and words after it, on as many lines as they need. */
export function labelled(label: string, words: readonly string[], output: Output): void {
  const room = Math.max(20, output.width - labelWidth);
  const lines = wrapped(words.map(printable), room);
  for (const [at, line] of lines.entries())
    output.line(`${(at === 0 ? label : '').padEnd(labelWidth)}${line}`);
}

/** Words divided by commas, never broken themselves. */
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

/** What was written and taken away, what that opened and closed, and the revision. */
export function showChange(changed: Changed, { output }: Context, otherwise = 'it was so already'): void {
  const { wrote, removed, opened, closed, notes, revision } = changed;
  for (const { says } of removed) output.line(`${output.paint('red', '-')} ${printable(says)}`);
  for (const { says } of wrote) output.line(`${output.paint('green', '+')} ${printable(says)}`);
  if (!changed.changed) output.line(`Nothing changed: ${otherwise}.`);
  showSet('Opened', opened, output);
  showSet('Closed', closed, output);
  output.line(`${'Revision'.padEnd(labelWidth)}${String(revision)}`);
  for (const note of notes) output.note(note);
}

interface Reach {
  readonly see: readonly string[];
  readonly call: readonly string[];
}

/** What may be called, and what may only be seen. */
export function showSet(label: string, { see, call }: Reach, output: Output): void {
  const callable = new Set(call);
  const seen = see.filter((name) => !callable.has(name));
  if (call.length > 0) labelled(label, call, output);
  const [first, ...rest] = seen;
  if (first !== undefined) labelled(call.length > 0 ? '' : label, [`to see only: ${first}`, ...rest], output);
}

/** `2026-01-31 12:00`, in UTC as everywhere. */
export function shortTime(time: string | number): string {
  return new Date(time).toISOString().slice(0, 16).replace('T', ' ');
}
