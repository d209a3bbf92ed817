import type { Kept } from './output-window.js';
import { firstOf, fromCharacter, lastOf, plainText, toCharacter } from './plain-text.js';

/** The limit for both streams together, as agents expect. */
export const maxShown = 30_000;
/** The smaller stream always gets this much. */
const share = 10_000;

export interface Shown {
  readonly stdout: string;
  readonly stderr: string;
  readonly truncated: boolean;
}

interface Whole {
  readonly text: string;
  /** Set if the middle was not kept. */
  readonly end?: string;
  readonly bytes: number;
}

/** Both streams as text of bounded length: head and tail of each, and a note about what is missing between. */
export function showOutput(stdout: Kept, stderr: Kept, where: string): Shown {
  const [out, errors] = [readKept(stdout), readKept(stderr)];
  const lengths = { out: lengthOf(out), errors: lengthOf(errors) };
  const forErrors = Math.min(lengths.errors, Math.max(share, maxShown - lengths.out));
  const shownOut = cut(out, maxShown - forErrors, where);
  const shownErrors = cut(errors, forErrors, where);
  return {
    stdout: shownOut.text,
    stderr: shownErrors.text,
    truncated: shownOut.isCut || shownErrors.isCut,
  };
}

function readKept({ head, tail, bytes }: Kept): Whole {
  if (bytes === head.length + tail.length) return { text: plainText(Buffer.concat([head, tail])), bytes };
  return { text: plainText(toCharacter(head)), end: plainText(fromCharacter(tail)), bytes };
}

function lengthOf({ text, end }: Whole): number {
  return end === undefined ? text.length : Number.POSITIVE_INFINITY;
}

function cut(whole: Whole, limit: number, where: string): { readonly text: string; readonly isCut: boolean } {
  if (lengthOf(whole) <= limit) return { text: whole.text, isCut: false };
  const half = Math.floor(limit / 2);
  const [head, tail] = [firstOf(whole.text, half), lastOf(whole.end ?? whole.text, half)];
  const missing = Math.max(1, whole.bytes - Buffer.byteLength(head) - Buffer.byteLength(tail));
  return {
    text: `${head}\n\n[... ${missing} of ${whole.bytes} bytes left out${where} ...]\n\n${tail}`,
    isCut: true,
  };
}
