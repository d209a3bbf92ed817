import { printable } from './printable.js';
import type { Path } from './tree.js';

/** Formats a path as `servers.github.args[0]`; keys that are not plain words are quoted. */
export function formatPath(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    if (!/^[\w$-]{1,64}$/.test(step)) return `${text}[${quote(step)}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}

/** Quotes text from a file for a message: shortened and safe to print. */
export function quote(text: string): string {
  const short = text.length > 60 ? `${text.slice(0, 59)}…` : text;
  return printable(JSON.stringify(short));
}

/** Lines and columns start at 1. */
export function placeIn(text: string, offset: number): { readonly line: number; readonly column: number } {
  let line = 1;
  let start = 0;
  for (let next = text.indexOf('\n'); next !== -1 && next < offset; next = text.indexOf('\n', start)) {
    line += 1;
    start = next + 1;
  }
  return { line, column: Math.min(offset, text.length) - start + 1 };
}
