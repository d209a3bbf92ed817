// What is asked of everything that a command writes. Each judgement gives what is wrong, or nothing.

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const moves = /\u001b\[[0-9;?]*[A-Za-ln-z]/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const paints = /\u001b\[([0-9;]*)m/g;

/** Nothing, bold, dim, red, green, yellow: what can be read on dark and on light, each beside a word or a sign. */
export const allowedPaints: readonly string[] = ['0', '1', '2', '31', '32', '33'];

/** Lines that the terminal would break, but for what has to stay whole to be copied. */
export function tooWide(raw: string, columns: number): readonly string[] {
  return linesOf(raw).filter((line) => widthOf(line) > columns && !isWhole(line));
}

/** Text of a file that is shown as it is, one word, or a command. */
function isWhole(line: string): boolean {
  const isText = /^ {2}[+-] /.test(line) || /^(?:\^C)?\{"(?:level|jsonrpc)":/.test(line);
  const isCommand =
    /^ *(?:next: |Use it +|Agent +|[\w ,]+: )?(?:tidegate|npm|npx|git|TIDEGATE_TOKEN=\S+) /.test(line);
  // A check of doctor whose detail is nothing but a path.
  const isPath = /^ {2}\S \w+ .* {2}\/\S+$/.test(line);
  return isText || isCommand || isPath || !line.trim().includes(' ');
}

/** Colours that are not among the allowed ones. */
export function strangePaints(raw: string, allowed = allowedPaints): readonly string[] {
  const used = [...raw.matchAll(paints)].flatMap(([, codes = '']) => codes.split(';'));
  return [...new Set(used)].filter((code) => !allowed.includes(code));
}

/** Where no colours are wanted there are none; in a pipe the cursor is not moved either. */
export function escapesIn(raw: string, where: 'no colours' | 'pipe'): readonly string[] {
  const found = where === 'pipe' ? raw.match(/\u001b.{0,8}/g) : raw.match(paints);
  return found ?? [];
}

/** As they stood on the screen: what was drawn over is left in, for it was seen too. */
function linesOf(raw: string): readonly string[] {
  return raw.replaceAll(moves, '').replaceAll(paints, '').replaceAll('\r', '').split('\n');
}

const twoColumns =
  /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}|\p{Emoji_Presentation}|[：。、]/u;

function widthOf(line: string): number {
  const letters = Array.from(line.replaceAll(/\u200d\p{Emoji}/gu, ''));
  return letters.reduce((sum, letter) => sum + (twoColumns.test(letter) ? 2 : 1), 0);
}
