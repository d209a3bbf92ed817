import { isRecord } from '../../../lib/is-record.js';
import { shellWord } from '../../../config/index.js';
import type { Input } from '../../command.js';
import { Failure } from '../../failure.js';
import type { Field } from './tool-fields.js';

type Refuse = (message: string) => never;

/** The arguments of a call as JSON text, from JSON, stdin (`-`) or key=value pairs. */
export async function argumentsText(
  words: readonly string[],
  { name, fields }: { readonly name: string; readonly fields: readonly Field[] },
  input: Input,
): Promise<string> {
  const refuse: Refuse = (message) => {
    throw new Failure('usage.bad_arguments', message, `tidegate tools show ${shellWord(name)}`);
  };
  const [first] = words;
  if (first === undefined) return '{}';
  const isWhole = first === '-' || /^\s*[{[]/.test(first);
  if (isWhole && words.length > 1) refuse('Pass one JSON object or key=value pairs, not both.');
  if (first === '-') return objectText(await input.readAll(), 'standard input', refuse);
  if (isWhole) return objectText(first, 'the arguments', refuse);
  const members = words.map((word) => memberText(word, fields, refuse));
  const keys = members.map(([key]) => key);
  const twice = keys.find((key, i) => keys.indexOf(key) !== i);
  if (twice !== undefined) refuse(`Duplicate argument: "${twice}".`);
  return `{${members.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`;
}

/** Keeps the original text, so that numbers beyond 2^53 stay exact. */
function objectText(text: string, where: string, refuse: Refuse): string {
  if (text.trim() === '') return '{}';
  const value = parsed(text);
  if (isRecord(value)) return text.trim();
  return refuse(
    `Invalid input in ${where}: ${value === undefined ? 'not valid JSON' : 'JSON, but not an object'}.`,
  );
}

function memberText(
  word: string,
  fields: readonly Field[],
  refuse: Refuse,
): readonly [key: string, value: string] {
  const at = word.indexOf('=');
  if (at <= 0) refuse(`"${word}" is not a JSON object or key=value pair.`);
  const key = word.slice(0, at);
  const text = word.slice(at + 1);
  const field = fields.find(({ name, spellings }) => name === key || spellings.includes(key));
  // If the tool expects text, keep text that looks like a number.
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
