import { type FoundServer, isJsonObject, type Json } from '../../clients/index.js';

const sign = '***';
const records = ['env', 'environment', 'headers', 'http_headers'];

/** All values of variables and headers, and all detected secrets. */
export function valuesToMask(servers: readonly FoundServer[], secrets: readonly string[]): readonly string[] {
  const values = servers.flatMap(({ entry }) => records.flatMap((key) => textsIn(entry[key])));
  return [...new Set([...values, ...secrets])].filter((value) => value !== '');
}

function textsIn(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (!isJsonObject(value)) return [];
  return Object.values(value).flatMap(textsIn);
}

/** Masks the values, even if they are escaped in JSON or TOML. Short values are masked only as whole strings. */
export function masked(text: string, values: readonly string[]): string {
  const forms = values.flatMap((value) => [value, JSON.stringify(value).slice(1, -1), ...value.split('\n')]);
  const longest = [...new Set(forms)]
    .filter((form) => form.trim() !== '')
    .sort((a, b) => b.length - a.length);
  return longest.reduce(
    (now, form) => {
      if (form.length >= 6) return now.replaceAll(form, sign);
      return now.replaceAll(`"${form}"`, `"${sign}"`).replaceAll(`'${form}'`, `'${sign}'`);
    },
    withoutSpelled(text, longest),
  );
}

const escapes = /\\(?:u[\da-fA-F]{4}|U[\da-fA-F]{8}|x[\da-fA-F]{2}|[ \t]*\r?\n\s*|[^])/g;
const controls: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  e: '\u001b',
};

/** Any character may be escaped, so values are searched in the decoded text and masked in the source text. */
function withoutSpelled(text: string, forms: readonly string[]): string {
  if (!text.includes('\\')) return text;
  const { decoded, places } = read(text);
  const hidden = new Uint8Array(text.length);
  for (const form of forms) {
    const margin = form.length >= 6 ? 0 : 1;
    const sought = margin === 0 ? form : `"${form}"`;
    for (let at = decoded.indexOf(sought); at !== -1; at = decoded.indexOf(sought, at + sought.length))
      hidden.fill(1, places[at + margin], places[at + sought.length - margin]);
  }
  let safe = '';
  for (let at = 0; at < text.length; at += 1)
    if (hidden[at] === 0) safe += text.charAt(at);
    else if (hidden[at - 1] !== 1) safe += sign;
  return safe;
}

/** The decoded text, and the source position of each character. */
function read(text: string): { readonly decoded: string; readonly places: readonly number[] } {
  const places: number[] = [];
  let decoded = '';
  let at = 0;
  const takePlain = (end: number): void => {
    decoded += text.slice(at, end);
    for (; at < end; at += 1) places.push(at);
  };
  for (const { 0: escape, index } of text.matchAll(escapes)) {
    takePlain(index);
    const meaning = meaningOf(escape);
    decoded += meaning;
    for (let unit = 0; unit < meaning.length; unit += 1) places.push(index);
    at = index + escape.length;
  }
  takePlain(text.length);
  places.push(text.length);
  return { decoded, places };
}

function meaningOf(escape: string): string {
  const [kind, digits] = [escape.charAt(1), escape.slice(2)];
  if (digits !== '' && /[uUx]/.test(kind)) {
    const code = Number.parseInt(digits, 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : '';
  }
  // A line continuation produces no characters.
  return digits !== '' || kind === '\n' ? '' : (controls[kind] ?? kind);
}
