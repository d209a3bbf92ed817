/** What paints text, and takes no room. */
const paints = /\u001b\[[\d;]*m/g;
/** Latin letters, our own signs, and what tables are drawn with: one column each. */
const narrow = /^[\u0020-\u02ff\u2010-\u2027\u2190-\u2199\u2500-\u25a0\u2713\u2717]*$/;
/** Letters of East Asia, full-width forms, and what terminals draw as pictures: two columns each. */
const wide =
  /^(?:\p{Emoji_Presentation}|.\u{fe0f}|[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}])/u;

/** How many columns of a terminal a text takes. */
export function widthOf(text: string): number {
  const plain = unpainted(text);
  if (narrow.test(plain)) return plain.length;
  return graphemesOf(plain).reduce((sum, grapheme) => sum + widthOfOne(grapheme), 0);
}

/** What a reader takes for one letter, however many characters it is made of. */
function graphemesOf(text: string): readonly string[] {
  const segments = new Intl.Segmenter('en', { granularity: 'grapheme' }).segment(text);
  return Array.from(segments, ({ segment }) => segment);
}

export function unpainted(text: string): string {
  return text.replaceAll(paints, '');
}

function widthOfOne(grapheme: string): number {
  if (wide.test(grapheme)) return 2;
  return /^[\p{Mark}\u200b-\u200f]+$/u.test(grapheme) ? 0 : 1;
}

/** The text in at most so many columns, in its colours, with a sign for what is left out. */
export function cutTo(text: string, width: number, rest = '…'): string {
  if (widthOf(text) <= width) return text;
  let room = width - rest.length;
  const parts = text.split(/(\u001b\[[\d;]*m)/).map((part, at) => {
    if (at % 2 === 1 || room < 0) return at % 2 === 1 ? part : '';
    let kept = '';
    for (const grapheme of graphemesOf(part)) {
      room -= widthOfOne(grapheme);
      if (room < 0) return `${kept}${rest}`;
      kept += grapheme;
    }
    return kept;
  });
  return parts.join('');
}

/** The text with blanks up to a width: behind it, or before it for numbers. */
export function padded(text: string, width: number, side: 'end' | 'start' = 'end'): string {
  const blanks = ' '.repeat(Math.max(0, width - widthOf(text)));
  return side === 'end' ? text + blanks : blanks + text;
}
