/** Escape sequences for colors, which take no columns. */
const paints = /\u001b\[[\d;]*m/g;
/** Latin letters, our own symbols and box-drawing characters: one column each. */
const narrow = /^[\u0020-\u02ff\u2010-\u2027\u2190-\u2199\u2500-\u25a0\u2713\u2717]*$/;
/** East Asian characters, full-width forms and emoji: two columns each. */
const wide =
  /^(?:\p{Emoji_Presentation}|.\u{fe0f}|[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\ua000-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}])/u;

/** The number of terminal columns of a text. Stops counting above `most`. */
export function widthOf(text: string, most = Number.POSITIVE_INFINITY): number {
  const plain = unpainted(text);
  if (narrow.test(plain)) return plain.length;
  let width = 0;
  for (const grapheme of graphemesOf(plain)) {
    width += widthOfOne(grapheme);
    if (width > most) break;
  }
  return width;
}

/** The segmenter copies the rest of its text at every step, so a long text would take hours. */
const pieceLength = 256;

/** Splits text into graphemes. A grapheme longer than a piece is split. */
function* graphemesOf(text: string): Generator<string> {
  for (let from = 0; from < text.length; ) {
    const piece = pieceAt(text, from);
    const isLast = from + piece.length === text.length;
    let held = '';
    let taken = 0;
    for (const { segment } of segmenter().segment(piece)) {
      if (held !== '') yield held;
      taken += held.length;
      held = segment;
    }
    // The last grapheme may continue, so the next piece starts with it.
    if (isLast || taken === 0) {
      yield held;
      taken += held.length;
    }
    from += taken;
  }
}

/** Never splits a surrogate pair. */
function pieceAt(text: string, from: number): string {
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(from + pieceLength - 1));
  return text.slice(from, from + pieceLength + (isHalf ? 1 : 0));
}

let made: Intl.Segmenter | undefined;

/** Created once, on demand: it is slow to create, and most texts do not need it. */
function segmenter(): Intl.Segmenter {
  made ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  return made;
}

export function unpainted(text: string): string {
  return text.replaceAll(paints, '');
}

function widthOfOne(grapheme: string): number {
  if (wide.test(grapheme)) return 2;
  return /^[\p{Mark}\u200b-\u200f]+$/u.test(grapheme) ? 0 : 1;
}

/** More than any letter with marks needs. Text with more code units per column is cut. */
const unitsPerColumn = 32;

/** Cuts text to a width, keeping its colors, and marks the cut. Reads only the beginning. */
export function cutTo(text: string, width: number, rest = '…'): string {
  const parts = text.split(/(\u001b\[[\d;]*m)/);
  const plain = parts.filter((_, at) => at % 2 === 0).join('');
  // No character takes more than two columns.
  if (plain.length * 2 <= width) return text;
  if (plain.length <= width * unitsPerColumn && widthOf(plain, width) <= width) return text;
  let room = width - rest.length;
  const kept = parts.map((part, at) => {
    if (at % 2 === 1 || room < 0) return at % 2 === 1 ? part : '';
    const beginning = beginningOf(part, room);
    room -= beginning.width;
    if (beginning.text === part) return part;
    room = -1;
    return `${beginning.text}${rest}`;
  });
  return kept.join('');
}

/** The beginning of a text that fits. */
function beginningOf(text: string, room: number): { readonly text: string; readonly width: number } {
  const most = room * unitsPerColumn;
  let kept = '';
  let width = 0;
  for (const grapheme of graphemesOf(text)) {
    const own = widthOfOne(grapheme);
    if (width + own > room || kept.length + grapheme.length > most) break;
    kept += grapheme;
    width += own;
  }
  return { text: kept, width };
}

/** Pads text with spaces: at the end, or at the start for numbers. */
export function padded(text: string, width: number, side: 'end' | 'start' = 'end'): string {
  const blanks = ' '.repeat(Math.max(0, width - widthOf(text, width)));
  return side === 'end' ? text + blanks : blanks + text;
}
