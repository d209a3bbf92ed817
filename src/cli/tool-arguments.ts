import type { Input } from './command.js';
import { Failure } from './failure.js';
import type { Field } from './tool-fields.js';

const help = `tidegate tools call <name> '{"key": "value"}'`;

/** The arguments of a call as JSON text: typed as JSON, read from stdin (`-`), or as key=value pairs. */
export async function argumentsText(
  words: readonly string[],
  fields: readonly Field[],
  input: Input,
): Promise<string> {
  const [first] = words;
  if (first === undefined) return '{}';
  if (first === '-') return objectText(onlyOne(words, await input.readAll()), 'standard input');
  if (first.trimStart().startsWith('{')) return objectText(onlyOne(words, first), 'the arguments');
  const members = words.map((word) => memberText(word, fields));
  const keys = members.map(([key]) => key);
  const twice = keys.find((key, i) => keys.indexOf(key) !== i);
  if (twice !== undefined)
    throw new Failure('usage.bad_arguments', `The argument "${twice}" stands twice.`, help);
  return `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`;
}

function onlyOne(words: readonly string[], text: string): string {
  if (words.length === 1) return text;
  throw new Failure('usage.bad_arguments', 'Give one JSON object, or key=value pairs, not both.', help);
}

/** The text as it was typed: numbers beyond 2^53 stay exact. */
function objectText(text: string, where: string): string {
  if (text.trim() === '') return '{}';
  const value = parsed(text);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return text.trim();
  throw new Failure('usage.bad_arguments', `What came as ${where} is not a JSON object.`, help);
}

function memberText(word: string, fields: readonly Field[]): readonly [key: string, value: string] {
  const at = word.indexOf('=');
  if (at <= 0) throw new Failure('usage.bad_arguments', `"${word}" is neither JSON nor key=value.`, help);
  const key = word.slice(0, at);
  const text = word.slice(at + 1);
  const field = fields.find(({ name, spellings }) => name === key || spellings.includes(key));
  // A text that looks like a number is still a text where the tool wants one.
  if (field?.isText === true || parsed(text) === undefined) return [key, JSON.stringify(text)];
  return [key, text.trim()];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
