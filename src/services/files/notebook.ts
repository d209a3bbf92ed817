import { isRecord } from '../../lib/is-record.js';

/** A notebook as text: its cells in order, with their output. Undefined if it is not a notebook. */
export function renderNotebook(json: string): string | undefined {
  const notebook = parse(json);
  const cells = isRecord(notebook) ? notebook['cells'] : undefined;
  if (!Array.isArray(cells)) return undefined;
  return cells.map((cell, index) => renderCell(cell, index + 1)).join('\n');
}

const maxOutput = 10_000;

function renderCell(cell: unknown, number: number): string {
  if (!isRecord(cell)) return `# %% cell ${number}: not readable`;
  const { cell_type: type, id, source, outputs } = cell;
  const name = typeof id === 'string' ? ` id=${id}` : '';
  const header = `# %% cell ${number} [${typeof type === 'string' ? type : 'unknown'}]${name}`;
  const printed = Array.isArray(outputs) ? outputs.map(renderOutput).filter((text) => text !== '') : [];
  return [header, textOf(source), ...printed].join('\n');
}

function renderOutput(output: unknown): string {
  if (!isRecord(output)) return '';
  const { data, text, traceback, ename, evalue } = output;
  if (typeof ename === 'string') {
    const message = typeof evalue === 'string' ? evalue : '';
    return `# error: ${ename}: ${message}\n${cut(withoutColours(textOf(traceback)))}`;
  }
  if (text !== undefined) return `# output:\n${cut(textOf(text))}`;
  if (!isRecord(data)) return '';
  const plain = textOf(data['text/plain'] ?? data['text/markdown'] ?? '');
  const others = Object.keys(data).filter((kind) => !kind.startsWith('text/'));
  const rest = others.length > 0 ? `\n# output not shown: ${others.join(', ')}` : '';
  return plain === '' && rest === '' ? '' : `# output:\n${cut(plain)}${rest}`;
}

/** Texts in notebooks are strings, or lists of lines with their endings. */
function textOf(source: unknown): string {
  const text = Array.isArray(source) ? source.filter((line) => typeof line === 'string').join('') : source;
  return typeof text === 'string' ? text.replace(/\n$/, '') : '';
}

function cut(text: string): string {
  return text.length > maxOutput
    ? `${text.slice(0, maxOutput)}\n# the rest of this output is left out`
    : text;
}

function withoutColours(text: string): string {
  return text.replace(/\u001b\[[0-9;]*m/g, '');
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    // The caller then shows it as plain text.
    return undefined;
  }
}
