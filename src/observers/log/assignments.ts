import { isSecretName } from './secret-names.js';

/** The position of a secret in a text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

// The look-behind lets a match start only at the start of a name, so that the time stays linear.
const assignment =
  /(?<![\w.-])(?:(?<flag>-[\w.-]+)(?:\s{1,8}|\\*["'`]\s{0,4},\s{0,4})|(?<name>[\w.-]+)(?:\\*["'`\]]){0,2}\s{0,8}(?<sign>[=:])>?\s{0,8})/g;

/** The values of secret names: `token=…`, `"password": "…"`, `--api-key …`, `Authorization: …`. */
export function secretValues(text: string): readonly Span[] {
  const found: Span[] = [];
  assignment.lastIndex = 0;
  for (let match = assignment.exec(text); match !== null; match = assignment.exec(text)) {
    const { flag, name = flag ?? '', sign } = match.groups ?? {};
    const at = match.index + match[0].length;
    const span = isSecretName(name)
      ? valueAt(text, at, name)
      : sign === '='
        ? randomAt(text, at, name)
        : nothing;
    if (span.end > span.start) found.push(span);
    // The value of a harmless name may contain another name: `url=https://host/?token=…`.
    assignment.lastIndex = span.end > span.start ? span.end : match.index + name.length;
  }
  return found;
}

const nothing: Span = { start: 0, end: 0 };
const plainValue = /[^\s"'`,;&)}\]<>\\]+/y;
const restOfLine = /[^\r\n]+/y;
const scheme = /^(?:bearer|basic|digest|token|negotiate)$/i;
const credentials = /\s{1,8}[^\s"'`,;]+/y;

function valueAt(text: string, at: number, name: string): Span {
  const quoted = quotedValue(text, at);
  if (quoted !== undefined) return quoted;
  // The values of these two contain spaces, commas and quotes.
  const isWholeLine = /authorization|cookie/i.test(name.slice(-64));
  const end = endOf(isWholeLine ? restOfLine : plainValue, text, at);
  return { start: at, end: scheme.test(text.slice(at, end)) ? endOf(credentials, text, end) : end };
}

const openingQuote = /(\\*)(["'`])/y;

/**
 * A quoted value ends at a quote with as many backslashes as the first; quotes with more belong to the value.
 */
function quotedValue(text: string, at: number): Span | undefined {
  openingQuote.lastIndex = at;
  const opening = openingQuote.exec(text);
  if (opening === null) return undefined;
  const [whole, backslashes = '', quote = ''] = opening;
  const start = at + whole.length;
  for (let i = text.indexOf(quote, start); i >= 0; i = text.indexOf(quote, i + 1)) {
    if (backslashesBefore(text, i, backslashes.length + 1) <= backslashes.length) {
      return { start, end: Math.max(start, i - backslashes.length) };
    }
  }
  return { start, end: text.length };
}

function backslashesBefore(text: string, at: number, atMost: number): number {
  let count = 0;
  while (count < atMost && text[at - 1 - count] === '\\') count += 1;
  return count;
}

function endOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at;
  return at + (pattern.exec(text)?.[0].length ?? 0);
}

const token = /["'`]?([\w+/.~-]{16,}={0,2})/y;
const minLength = 20;
const minBitsPerCharacter = 3.6;

/** Long, mixed characters and no repetition: probably a generated secret. */
function randomAt(text: string, at: number, name: string): Span {
  token.lastIndex = at;
  const [whole = '', value = ''] = token.exec(text) ?? [];
  const span = { start: at + whole.length - value.length, end: at + whole.length };
  const hasDigit = /\d/.test(value);
  if (/key$/i.test(name.slice(-8))) return hasDigit ? span : nothing;
  const isMixed = hasDigit && /[a-z]/.test(value) && /[A-Z]/.test(value) && value.length >= minLength;
  return isMixed && bitsPerCharacter(value.slice(0, 256)) >= minBitsPerCharacter ? span : nothing;
}

function bitsPerCharacter(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}
