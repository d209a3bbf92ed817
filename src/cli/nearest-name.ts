import { nearest, printable } from '../config/index.js';

/** ` Did you mean "x"?`, or empty if no known name is similar. */
export function didYouMean(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === undefined ? '' : ` Did you mean "${printable(near)}"?`;
}
