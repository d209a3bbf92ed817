import { endOfString, plainKey, skipSpace } from './json-text.js';

/** How expensive a text is to parse. */
export interface Measure {
  readonly depth: number;
  /** Keys of all objects in total. */
  readonly keys: number;
  /** Commas and opening brackets: an upper bound for the number of values. */
  readonly values: number;
}

const unlimited: Measure = {
  depth: Number.POSITIVE_INFINITY,
  keys: Number.POSITIVE_INFINITY,
  values: Number.POSITIVE_INFINITY,
};

/** Measures a text in one pass and stops at the limits. The text need not be valid JSON. */
export function measureOf(text: string, limits = unlimited): Measure {
  let open = 0;
  let [depth, keys, values] = [0, 0, 0];
  for (let i = 0; i < text.length; i += 1) {
    const c = text.charCodeAt(i);
    if (c === quote) i = endOfString(text, i) - 1;
    else if (c === colon) keys += 1;
    else if (c === comma) values += 1;
    else if (c === openBrace || c === openBracket) {
      open += 1;
      values += 1;
      if (open > depth) depth = open;
    } else if (c === closeBrace || c === closeBracket) open -= 1;
    if (values > limits.values || keys > limits.keys || depth > limits.depth) break;
  }
  return { depth, keys, values };
}

/**
 * Finds a duplicate key at any depth: parsers disagree about which value counts. The text must be valid JSON. If its
 * value is known, counting is enough: the value has fewer keys than the text exactly if one is duplicated.
 */
export function duplicateKey(text: string, value?: unknown): string | undefined {
  if (value !== undefined && keysInText(text) === keysInValue(value)) return undefined;
  const open: Set<string>[] = [];
  for (let i = 0; i < text.length; i += 1) {
    const c = text.charCodeAt(i);
    if (c === openBrace) open.push(new Set());
    else if (c === closeBrace) open.pop();
    else if (c === quote) {
      const end = endOfString(text, i);
      // Only a key is followed by a colon.
      if (text.charCodeAt(skipSpace(text, end)) === colon) {
        const [key, keys] = [plainKey(text, i, end), open.at(-1)];
        if (keys?.has(key) === true) return key;
        keys?.add(key);
      }
      i = end - 1;
    }
  }
  return undefined;
}

function keysInText(text: string): number {
  let keys = 0;
  for (let i = text.indexOf('"'); i >= 0; i = text.indexOf('"', i)) {
    i = endOfString(text, i);
    // Only a key is followed by a colon.
    if (text.charCodeAt(skipSpace(text, i)) === colon) keys += 1;
  }
  return keys;
}

function keysInValue(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  let keys = 0;
  if (Array.isArray(value)) {
    for (const item of value) keys += keysInValue(item);
    return keys;
  }
  const members = value as Readonly<Record<string, unknown>>;
  for (const key in members) keys += 1 + keysInValue(members[key]);
  return keys;
}

const quote = 34;
const openBrace = 123;
const closeBrace = 125;
const openBracket = 91;
const closeBracket = 93;
const comma = 44;
const colon = 58;
