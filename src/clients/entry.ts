import { CannotRead, type ClientServer, type ServerStart } from './client.js';
import { isJsonObject, type Json, type JsonObject } from './json-value.js';
import { type Around, type Notation, translate } from './notation.js';

/** Reads the parts of an entry that most clients share. */
export interface EntryReader {
  text(key: string): string | undefined;
  texts(key: string): readonly string[];
  record(key: string): Readonly<Record<string, string>>;
}

export function readerOf(entry: JsonObject, notation: Notation, around: Around): EntryReader {
  const translated = (value: Json): string => translate(textOf(value), notation, around);
  return {
    text: (key) => (isScalar(entry[key]) ? translated(entry[key]) : undefined),
    texts: (key) => listOf(entry[key]).map(translated),
    record: (key) => {
      const record = entry[key];
      if (!isJsonObject(record)) return {};
      return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, translated(value)]));
    },
  };
}

/** `command`, `args`, `env`, `cwd`, or `url` and `headers`; `type` is optional. */
export function startOf(entry: JsonObject, reader: EntryReader, url = reader.text('url')): ServerStart {
  const type = typeof entry['type'] === 'string' ? entry['type'].toLowerCase() : undefined;
  const command = reader.text('command');
  if (
    type !== undefined &&
    !['stdio', 'http', 'streamable-http', 'streamablehttp', 'local', 'remote'].includes(type)
  )
    throw new CannotRead(unsupportedType(type));
  if (command !== undefined && command.trim() !== '' && type !== 'http') {
    const cwd = reader.text('cwd');
    return {
      kind: 'stdio',
      command,
      args: reader.texts('args'),
      env: reader.record('env'),
      ...(cwd !== undefined && { cwd }),
    };
  }
  if (url === undefined || url === '') throw new CannotRead('has neither a command nor a URL');
  return { kind: 'http', url: checkedUrl(url, type), headers: reader.record('headers') };
}

function unsupportedType(type: string): string {
  if (type === 'sse') return 'uses SSE, which Tidegate does not support: use its Streamable HTTP URL';
  return `has the type ${JSON.stringify(type.slice(0, 20))}, which Tidegate does not support`;
}

export function checkedUrl(url: string, type?: string): string {
  if (!url.includes('${') && !/^https?:\/\//i.test(url))
    throw new CannotRead('has a URL that is not http or https');
  const isOldPath = /\/sse\/?(?:[?#]|$)/.test(url) && type === undefined;
  if (isOldPath) throw new CannotRead(unsupportedType('sse'));
  return url;
}

/** Allowed and excluded tools as patterns. */
export function toolsOf(
  entry: JsonObject,
  used: string,
  unused: string,
): { readonly tools?: readonly string[] } {
  const isNamed = Array.isArray(entry[used]);
  const offered = listOf(entry[used]).map(textOf);
  const taken = listOf(entry[unused]).map((name) => `!${textOf(name)}`);
  if (!isNamed && taken.length === 0) return {};
  return { tools: isNamed && offered.length === 0 ? ['!*'] : [...offered, ...taken] };
}

/** Notes on keys of the entry that Tidegate does not support. */
export function notesOn(entry: JsonObject, notes: Readonly<Record<string, string>>): ClientServer['notes'] {
  return Object.keys(notes).flatMap((key) => (entry[key] === undefined ? [] : [notes[key] ?? '']));
}

/** A permission to call tools without asking, which the gateway entry does not get. */
export function approvalNotes(entry: JsonObject, key: string, leave: Json): ClientServer['notes'] {
  return entry[key] === leave ? [`${key} is not imported: it would apply to all tools of Tidegate`] : [];
}

export function isScalar(value: Json): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}

export function listOf(value: Json): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : [];
}

export function textOf(value: Json): string {
  if (isScalar(value)) return String(value);
  throw new CannotRead('has a value that is not text');
}
