import { type Edit, endOfString, endOfValue, skipSpace, splice } from './json-text.js';
import { visibleText } from './visible-text.js';

type Cleaned = { readonly text: string } | { readonly reason: string };

/** Keys of text for models and people. Invisible characters in it are escaped. */
const prose: ReadonlySet<string> = new Set(['title', 'description', '$comment', 'markdownDescription']);
/** Keys of a definition that models and people read. `_meta`, icons and extensions are left alone. */
const read: ReadonlySet<string> = new Set([
  ...['name', 'title', 'description', 'inputSchema', 'outputSchema', 'annotations', 'arguments'],
  ...['uri', 'uriTemplate', 'mimeType'],
]);
/** Text without an escape or a non-ASCII character needs no cleaning. */
const suspicious = /\\[ubf]|[^\0-\x7e]/;
/** No model can use a longer definition, and parsing one would block all other calls. */
const longest = 256 * 1024;

class Refused extends Error {}

/**
 * Removes invisible characters from an upstream's definition. In prose they are escaped. Names, keys and schema data are
 * never altered, because the upstream matches them exactly: a definition with invisible characters there is refused.
 * Text that needs no change keeps its bytes.
 */
export function cleanDefinition(text: string): Cleaned {
  if (text.length > longest) return { reason: `its definition is longer than ${String(longest / 1024)} KiB` };
  if (!suspicious.test(text)) return { text };
  try {
    const edits: Edit[] = [];
    readValue({ text, edits }, skipSpace(text, 0), 'schema', true);
    return { text: splice(text, edits) };
  } catch (error) {
    if (error instanceof Refused) return { reason: error.message };
    throw error;
  }
}

/** The kind of value: a schema or definition, author-chosen names, data, or prose. */
type Mode = 'schema' | 'names' | 'data' | 'prose';

interface Reading {
  readonly text: string;
  readonly edits: Edit[];
}

/** Reads the value at a position and returns its end. Each character is read once, at any depth. */
function readValue(reading: Reading, at: number, mode: Mode, isTop = false): number {
  const { text, edits } = reading;
  const first = text[at];
  if (first === '{') return readMembers(reading, at, mode, isTop);
  if (first === '[') return readElements(reading, at, mode);
  const end = endOfValue(text, at);
  if (first === '"') {
    const edit = editOf(text.slice(at, end), at, mode);
    if (edit !== undefined) edits.push(edit);
  }
  return end;
}

function readMembers(reading: Reading, start: number, mode: Mode, isTop: boolean): number {
  const { text } = reading;
  let at = skipSpace(text, start + 1);
  while (text[at] === '"') {
    const keyEnd = endOfString(text, at);
    const key = JSON.parse(text.slice(at, keyEnd)) as string;
    const below = skipSpace(text, skipSpace(text, keyEnd) + 1);
    if (isTop && !read.has(key)) at = endOfValue(text, below);
    else {
      requireVisible(key);
      at = readValue(reading, below, modeBelow(mode, key, text[below] === '"'));
    }
    at = skipSpace(text, at);
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return at + 1;
}

function readElements(reading: Reading, start: number, mode: Mode): number {
  const { text } = reading;
  let at = skipSpace(text, start + 1);
  while (at < text.length && text[at] !== ']') {
    at = skipSpace(text, readValue(reading, at, mode));
    if (text[at] === ',') at = skipSpace(text, at + 1);
  }
  return at + 1;
}

/** Keys whose own keys are names: a property called `title` is not a title. */
const named: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
const data: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples']);

function modeBelow(mode: Mode, key: string, isText: boolean): Mode {
  if (mode === 'names') return 'schema';
  if (mode !== 'schema') return mode;
  if (prose.has(key) && isText) return 'prose';
  if (data.has(key)) return 'data';
  return named.has(key) ? 'names' : 'schema';
}

function editOf(value: string, at: number, mode: Mode): Edit | undefined {
  const text = JSON.parse(value) as string;
  if (mode !== 'prose') {
    requireVisible(text);
    return undefined;
  }
  const visible = visibleText(text);
  return visible === text ? undefined : { start: at, end: at + value.length, text: JSON.stringify(visible) };
}

function requireVisible(text: string): void {
  if (visibleText(text) !== text) throw new Refused('its names or schema contain invisible characters');
}
