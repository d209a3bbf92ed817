// Control and format characters (C0, C1, what turns text around, zero width), lone surrogates, separators of lines, and
// the letters and selectors that show as nothing.
const deceptive =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u{34f}\u{115f}\u{1160}\u{17b4}\u{17b5}\u{3164}\u{ffa0}\u{e0100}-\u{e01ef}]/gu;

/** Text of a file, a client or a server, harmless to a terminal and its reader: what could fool either is spelt out. */
export function printable(text: string): string {
  return text.replace(deceptive, escaped);
}

/** The same, but with its line breaks and tabs. */
export function printableLines(text: string): string {
  return text.replace(deceptive, (found) => (found === '\n' || found === '\t' ? found : escaped(found)));
}

/** JSON text of the same value. Between its tokens it keeps its white space; a string cannot hold any such raw. */
export function printableJson(text: string): string {
  return text.replace(deceptive, (found) => (/[\n\r\t]/.test(found) ? found : escaped(found)));
}

/** Longer than the name of any file can be: no path of this machine is ever cut. */
const longWord = /[^\s/]{256,}/gu;
const keptOfWord = 60;

/** Text for a person with its endless words cut: names come from files of others, and may fill a screen or a thousand. */
export function withoutLongWords(text: string): string {
  return text.replace(
    longWord,
    (word) =>
      `${Array.from(word.slice(0, keptOfWord + 1))
        .slice(0, -1)
        .join('')}… (${String(word.length)} characters)`,
  );
}

/** By code units, as JSON spells them too. */
function escaped(character: string): string {
  let text = '';
  for (let i = 0; i < character.length; i += 1)
    text += `\\u${character.charCodeAt(i).toString(16).padStart(4, '0')}`;
  return text;
}
