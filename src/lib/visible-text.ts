import { deceptive, escaped } from './printable.js';

/** Scripts with joining letters, where zero-width joiners and non-joiners are legitimate. */
const joining = [
  ...[
    'Arabic',
    'Syriac',
    'Mongolian',
    'Nko',
    'Devanagari',
    'Bengali',
    'Gurmukhi',
    'Gujarati',
    'Oriya',
    'Tamil',
  ],
  ...['Telugu', 'Kannada', 'Malayalam', 'Sinhala', 'Khmer', 'Myanmar', 'Tibetan'],
]
  .map((script) => `\\p{Script=${script}}`)
  .join('');
/** Invisible characters with a legitimate use: in emoji, joining scripts, the three tag flags, and line endings. */
const kept = [
  '(?<=\\p{Extended_Pictographic}[\\p{Emoji_Modifier}\\u{fe0f}]?)\\u{200d}(?=\\p{Extended_Pictographic})',
  `(?<=[${joining}])[\\u{200c}\\u{200d}](?=[${joining}])`,
  '\\u{1f3f4}\\u{e0067}\\u{e0062}(?:\\u{e0065}\\u{e006e}|\\u{e0073}\\u{e0063}|\\u{e0077}\\u{e006c})[\\u{e0067}\\u{e0074}\\u{e0073}]\\u{e007f}',
  '\\r?\\n',
  '\\t',
].join('|');
/** More than one variation selector after a character is invisible and can smuggle text. */
const selectors = '(?<=[\\u{fe00}-\\u{fe0f}])[\\u{fe00}-\\u{fe0f}]';
const pattern = new RegExp(`(${kept})|${selectors}|${deceptive.source}`, 'gu');

/** Escapes invisible characters in upstream text, for example as `\u200b`. */
export function visibleText(text: string): string {
  return text.replace(pattern, (found, isKept: string | undefined) =>
    isKept === undefined ? escaped(found) : found,
  );
}
