import { nearest, printable } from '../config/index.js';

/** ` Did you mean "x"?`, or nothing when no known name is near. */
export function didYouMean(name: string, known: readonly string[]): string {
  const near = nearest(name, known);
  return near === undefined ? '' : ` Did you mean "${printable(near)}"?`;
}
