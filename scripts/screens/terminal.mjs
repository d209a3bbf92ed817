// A minimal terminal emulator for the output of our commands: text, colors, and redrawn lines.
const colours = { 31: 'red', 32: 'green', 33: 'yellow', 34: 'blue', 36: 'cyan' };

/** The lines on the screen at the end, each a list of { text, style }. */
export function linesOf(output) {
  const rows = [[]];
  let [row, column, style] = [0, 0, ''];
  const tokens = output.matchAll(/\u001b\[([?\d;]*)([A-Za-z])|\u001b[()][A-Z0-9]|\r|\n|[^\u001b\r\n]/gu);
  for (const [token, numbers, letter] of tokens) {
    if (token === '\r') column = 0;
    else if (token === '\n') {
      row += 1;
      column = 0;
      rows[row] ??= [];
    } else if (letter === 'm') style = styleAfter(style, numbers);
    else if (letter === 'A') row = Math.max(0, row - Number(numbers || 1));
    else if (letter === 'G') column = Number(numbers || 1) - 1;
    else if (letter === 'K') rows[row].length = Math.min(rows[row].length, column);
    else if (letter === 'J') {
      rows[row].length = Math.min(rows[row].length, column);
      rows.length = row + 1;
    } else if (letter === undefined && !token.startsWith('\u001b')) {
      rows[row][column] = { text: token, style };
      column += 1;
    }
  }
  while (rows.length > 0 && rows.at(-1).length === 0) rows.pop();
  return rows.map(runsOf);
}

function styleAfter(style, numbers) {
  let words = new Set(style.split(' ').filter((word) => word !== ''));
  for (const number of numbers.split(';').map(Number)) {
    if (number === 0) words = new Set();
    else if (number === 1) words.add('bold');
    else if (number === 2) words.add('dim');
    else if (number === 22) for (const word of ['bold', 'dim']) words.delete(word);
    else if (number === 39) for (const word of Object.values(colours)) words.delete(word);
    else if (colours[number]) words.add(colours[number]);
  }
  return [...words].join(' ');
}

/** Joins adjacent cells of the same style. */
function runsOf(cells) {
  const runs = [];
  for (const cell of Array.from(cells, (one) => one ?? { text: ' ', style: '' })) {
    const last = runs.at(-1);
    if (last?.style === cell.style) last.text += cell.text;
    else runs.push({ ...cell });
  }
  return runs;
}
