import { visibleText } from './visible-text.js';

/** Look-alike letters of other scripts, by Latin letter or digit. */
const lookAlikes: Readonly<Record<string, string>> = {
  A: 'ΑАᎪ',
  B: 'ΒВᏴ',
  C: 'СᏟϹ',
  D: 'Ꭰ',
  E: 'ΕЕᎬ',
  F: 'Ϝ',
  G: 'ԌᏀ',
  H: 'ΗНᎻ',
  I: 'ΙІӀᏆ',
  J: 'ЈᎫͿ',
  K: 'ΚКᏦ',
  L: 'Ꮮ',
  M: 'ΜМᎷ',
  N: 'Ν',
  O: 'ΟОՕ',
  P: 'ΡРᏢ',
  Q: 'Ԛ',
  R: 'ᎡᏒ',
  S: 'ЅᏚՏ',
  T: 'ΤТᎢ',
  U: 'ՍԱ',
  V: 'ѴᏙ',
  W: 'ԜᎳ',
  X: 'ΧХ',
  Y: 'ΥҮ',
  Z: 'ΖᏃ',
  a: 'αаɑ',
  b: 'ЬƄ',
  c: 'сϲ',
  d: 'ԁɗ',
  e: 'еҽ',
  f: 'ẝ',
  g: 'ɡց',
  h: 'һհ',
  i: 'іι',
  j: 'јϳ',
  k: 'κк',
  l: 'ӏǀ',
  m: 'м',
  n: 'ոп',
  o: 'οоօσ',
  p: 'ρр',
  q: 'ԛգ',
  r: 'гɾ',
  s: 'ѕ',
  t: 'т',
  u: 'υսц',
  v: 'νѵ',
  w: 'ԝա',
  x: 'хχ',
  y: 'уүγ',
  z: 'ᴢ',
};
const latin = new Map(
  Object.entries(lookAlikes).flatMap(([letter, others]) =>
    Array.from(others, (other) => [other, letter] as const),
  ),
);

/** Latin letters that are not a plain letter plus an accent. */
const plainLatin: Readonly<Record<string, string>> = {
  ...{ đ: 'd', ð: 'd', ħ: 'h', ı: 'i', ł: 'l', ø: 'o', ŧ: 't', ĸ: 'k', þ: 'p' },
  ...{ Đ: 'D', Ð: 'D', Ħ: 'H', Ł: 'L', Ø: 'O', Ŧ: 'T', Þ: 'P' },
};

/** Equal for names that look the same to a person. */
export function skeletonOf(name: string): string {
  const plain = isAscii(name) ? name : withoutAccents(name);
  return plain
    .trim()
    .replace(/[Il1|]/g, 'l')
    .replace(/[O0]/g, 'O');
}

/** Scripts in use today (UAX 31). Letters of other scripts are too easily mistaken for Latin ones. */
const scripts = [
  ...['Arabic', 'Armenian', 'Bengali', 'Cyrillic', 'Devanagari', 'Ethiopic', 'Georgian', 'Greek', 'Gujarati'],
  ...['Gurmukhi', 'Hebrew', 'Kannada', 'Khmer', 'Lao', 'Malayalam', 'Myanmar', 'Oriya', 'Sinhala', 'Tamil'],
  ...['Telugu', 'Thaana', 'Thai', 'Tibetan'],
].map((script) => `\\p{scx=${script}}`);
const eastAsian = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Bopomofo']
  .map((script) => `\\p{scx=${script}}`)
  .join('');
/** Latin-1, Extended-A and letters with several accents. Other letters are phonetic or look-alikes. */
const latinLetters = 'A-Za-z\\u00aa-\\u017f\\u1e00-\\u1e99\\u1ea0-\\u1ef9';
const oneScript = new RegExp(
  `^(?:[${[latinLetters, eastAsian, ...scripts].map((letters) => `${letters}0-9`).join(']+|[')}]+)$`,
  'u',
);
/** Allowed between words: ASCII, emoji, joiners and the Katakana middle dot. */
const between =
  /^[\0-\x7f\p{Extended_Pictographic}\p{Emoji_Modifier}\u200c\u200d\ufe0f\u{e0020}-\u{e007f}・]*$/u;

/** Why a name is refused; undefined if it is fine. Names are never altered. */
export function deceptiveName(name: string): string | undefined {
  if (name.trim() !== name) return 'its name starts or ends with whitespace';
  if (isAscii(name) && !/[\0-\x1f\x7f]/.test(name)) return undefined;
  if (/[\r\n\t]/.test(name) || visibleText(name) !== name) return 'its name contains invisible characters';
  const skeleton = latinOf(name);
  if (isAscii(skeleton)) return `its name looks like "${skeleton}" but differs from it`;
  const words = name.normalize('NFC').match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  if (words.some((word) => !oneScript.test(word)))
    return 'its name mixes scripts in one word or contains unusual letters';
  return between.test(name.replace(/[\p{L}\p{M}\p{N}]+/gu, ''))
    ? undefined
    : 'its name contains unusual characters';
}

function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

/** `search` for `se\u0430rch`. */
function latinOf(name: string, form: 'NFKC' | 'NFKD' = 'NFKC'): string {
  return Array.from(name.normalize(form), (one) => latin.get(one) ?? one).join('');
}

/** Removes accents from Latin look-alikes only: in other scripts accented letters are distinct. */
function withoutAccents(name: string): string {
  return Array.from(latinOf(name, 'NFKD'), (one) => plainLatin[one] ?? one)
    .join('')
    .replace(/(?<=[A-Za-z][\u0300-\u036f]*)[\u0300-\u036f]/g, '');
}
