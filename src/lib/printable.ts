// Control and format characters (C0, C1, bidi, zero width), lone surrogates, line separators, and letters and selectors
// that render as nothing.
export const deceptive =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{34f}\u{115f}\u{1160}\u{17b4}\u{17b5}\u{3164}\u{ffa0}\u{e0100}-\u{e01ef}]/gu;

/** Makes untrusted text safe to print: characters that could mislead a terminal or its reader are escaped. */
export function printable(text: string): string {
  return text.replace(deceptive, escaped);
}

/** The same, but keeps line breaks and tabs. */
export function printableLines(text: string): string {
  return text.replace(deceptive, (found) => (found === '\n' || found === '\t' ? found : escaped(found)));
}

/** JSON text of the same value. Whitespace between tokens is kept; strings cannot contain it raw. */
export function printableJson(text: string): string {
  return text.replace(deceptive, (found) => (/[\n\r\t]/.test(found) ? found : escaped(found)));
}

/** Longer than any file name, so that local paths are never cut. */
const longWord = /[^\s/]{256,}/gu;
const keptOfWord = 60;

/** Printable text with very long words cut, because untrusted names could fill the screen. */
export function withoutLongWords(text: string): string {
  return text.replace(
    longWord,
    (word) =>
      `${Array.from(word.slice(0, keptOfWord + 1))
        .slice(0, -1)
        .join('')}… (${String(word.length)} characters)`,
  );
}

/** Escapes by code unit, like JSON. */
export function escaped(character: string): string {
  let text = '';
  for (let i = 0; i < character.length; i += 1)
    text += `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`;
  return text;
}
