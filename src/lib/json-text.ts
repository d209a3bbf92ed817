/** JSON kept as its source text: parsed on demand and edited by splicing, never re-serialized. */
export class JsonText {
  /** Always one line, because messages are separated by line breaks. */
  readonly text: string;
  #value: unknown;
  #parsed: boolean;
  #members: readonly Member[] | undefined;

  constructor(text: string) {
    this.text = onOneLine(text);
    this.#parsed = false;
  }

  /** The parsed value. Numbers beyond 2^53 are exact in `text` only. */
  get value(): unknown {
    if (!this.#parsed) {
      this.#value = JSON.parse(this.text);
      this.#parsed = true;
    }
    return this.#value;
  }

  /** The members of this object, scanned once. */
  get members(): readonly Member[] {
    this.#members ??= membersOf(this.text);
    return this.#members;
  }

  /** Creates JsonText from a known value, so that it is not parsed again. */
  static known(text: string, value: unknown): JsonText {
    const json = new JsonText(text);
    json.#value = value;
    json.#parsed = true;
    return json;
  }

  static from(value: unknown): JsonText {
    return JsonText.known(JSON.stringify(value), value);
  }
}

/** Longer texts lose whitespace after a line break, because millions of replacements would block other callers for seconds. */
const longText = 64 * 1024;

/** JSON on one line. In valid JSON a raw line break is only whitespace, so a space is equivalent. */
export function onOneLine(text: string): string {
  if (!text.includes('\n') && !text.includes('\r')) return text;
  return text.replace(text.length > longText ? /[\r\n][ \t\r\n]*/g : /[\r\n]/g, ' ');
}

/** The same text in memory of its own. A part of a long text would keep the whole text in memory. */
export function detached(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}

export const emptyObject: JsonText = JsonText.from(Object.freeze({}));

/** One member of a JSON object, with the positions of its key and value in the source text. */
export interface Member {
  readonly key: string;
  readonly keyStart: number;
  readonly start: number;
  readonly end: number;
}

/** Replaces the span [start, end) of a source text. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
const OPEN_BRACKET = 91;
const CLOSE_BRACKET = 93;
const COMMA = 44;
const COLON = 58;

/** The members of the object that starts at or after `at`. The text must be valid JSON. */
export function membersOf(text: string, at = 0): Member[] {
  const found: Member[] = [];
  let i = skipSpace(text, at) + 1;
  for (;;) {
    i = skipSpace(text, i);
    if (text.charCodeAt(i) === CLOSE_BRACE) return found;
    const keyStart = i;
    i = endOfString(text, i);
    const key = plainKey(text, keyStart, i);
    i = skipSpace(text, i);
    if (text.charCodeAt(i) !== COLON) return found;
    const start = skipSpace(text, i + 1);
    const end = endOfValue(text, start);
    found.push({ key, keyStart, start, end });
    i = skipSpace(text, end);
    if (text.charCodeAt(i) !== COMMA) return found;
    i += 1;
  }
}

/** The elements of the array that starts at or after `at`, as source text. The text must be valid JSON. */
export function elementsOf(text: string, at = 0): string[] {
  const found: string[] = [];
  let i = skipSpace(text, skipSpace(text, at) + 1);
  if (text.charCodeAt(i) === CLOSE_BRACKET) return found;
  for (;;) {
    const end = endOfValue(text, i);
    found.push(text.slice(i, end));
    i = skipSpace(text, end);
    if (text.charCodeAt(i) !== COMMA) return found;
    i = skipSpace(text, i + 1);
  }
}

/** The member with this key; the last one if duplicated, like `JSON.parse`. */
export function memberOf(members: readonly Member[], key: string): Member | undefined {
  for (let i = members.length - 1; i >= 0; i -= 1) if (members[i]?.key === key) return members[i];
  return undefined;
}

/** The source text of one member's value, or undefined. */
export function textOf(text: string, members: readonly Member[], key: string): string | undefined {
  const member = memberOf(members, key);
  return member && text.slice(member.start, member.end);
}

/** True for a duplicate key: parsers disagree about which value counts. */
export function hasDuplicateKeys(members: readonly Member[]): boolean {
  // Comparing pairs is fastest for a few members, and far too slow for a hostile message with many.
  if (members.length > 16) return new Set(members.map(({ key }) => key)).size < members.length;
  for (let i = 1; i < members.length; i += 1) {
    for (let j = 0; j < i; j += 1) if (members[i]?.key === members[j]?.key) return true;
  }
  return false;
}

/** Replaces spans of a text. Edits may come in any order and must not overlap. */
export function splice(text: string, edits: readonly Edit[]): string {
  if (edits.length === 0) return text;
  const ordered = edits.length === 1 ? edits : [...edits].sort((a, b) => a.start - b.start);
  let out = '';
  let from = 0;
  for (const edit of ordered) {
    out += text.slice(from, edit.start) + edit.text;
    from = edit.end;
  }
  return out + text.slice(from);
}

/** Sets members of a JSON object (`undefined` removes one); the rest of the text is unchanged. */
export function withMembers(text: string, changes: Readonly<Record<string, string | undefined>>): string {
  const brace = skipSpace(text, 0);
  if (text.charCodeAt(brace) !== OPEN_BRACE) return text;
  const members = membersOf(text, brace);
  let out = '';
  let from = members[0]?.keyStart ?? brace + 1;
  const head = text.slice(0, from);
  for (const { key, keyStart, start, end } of members) {
    const value = Object.hasOwn(changes, key) ? changes[key] : text.slice(start, end);
    // The gap before a member holds its comma; the first remaining member must not have one.
    const gap = out === '' ? '' : text.slice(from, keyStart);
    if (value !== undefined) out += gap + text.slice(keyStart, start) + value;
    from = end;
  }
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined || memberOf(members, key)) continue;
    out += `${out === '' ? '' : ','}${JSON.stringify(key)}:${value}`;
  }
  return head + out + text.slice(from);
}

export function skipSpace(text: string, at: number): number {
  let i = at;
  for (;;) {
    const c = text.charCodeAt(i);
    if (c !== 32 && c !== 10 && c !== 13 && c !== 9) return i;
    i += 1;
  }
}

/** The index after the closing quote of the string that starts at `at`. */
export function endOfString(text: string, at: number): number {
  const i = text.indexOf('"', at + 1);
  if (i < 0) return text.length;
  // A search per quote is slow in a string with millions of escaped ones, so go on by characters.
  return text.charCodeAt(i - 1) === BACKSLASH ? endOfEscaped(text, at + 1) : i + 1;
}

function endOfEscaped(text: string, from: number): number {
  for (let i = from; i < text.length; i += 1) {
    const c = text.charCodeAt(i);
    if (c === QUOTE) return i + 1;
    if (c === BACKSLASH) i += 1;
  }
  return text.length;
}

/** The index after the value that starts at `at`. */
export function endOfValue(text: string, at: number): number {
  const first = text.charCodeAt(at);
  if (first === QUOTE) return endOfString(text, at);
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return endOfScalar(text, at);
  let depth = 0;
  for (let i = at; i < text.length; i += 1) {
    const c = text.charCodeAt(i);
    if (c === QUOTE) i = endOfString(text, i) - 1;
    else if (c === OPEN_BRACE || c === OPEN_BRACKET) depth += 1;
    else if (c === CLOSE_BRACE || c === CLOSE_BRACKET) {
      depth -= 1;
      if (depth === 0) return i + 1;
    }
  }
  return text.length;
}

function endOfScalar(text: string, at: number): number {
  let i = at;
  for (; i < text.length; i += 1) {
    const c = text.charCodeAt(i);
    if (c === COMMA || c === CLOSE_BRACE || c === CLOSE_BRACKET || c <= 32) return i;
  }
  return i;
}

export function plainKey(text: string, start: number, end: number): string {
  const inner = text.slice(start + 1, end - 1);
  return inner.includes('\\') ? String(JSON.parse(text.slice(start, end))) : inner;
}
