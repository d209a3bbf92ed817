import type { Units } from './encoding.js';

export interface DiffParts {
  readonly name: string;
  readonly before: Units;
  readonly after: Units;
  readonly isNew: boolean;
  /** Units as people read them. */
  readonly decode: (units: Units) => string;
}

export interface Diff {
  readonly text: string;
  readonly added: number;
  readonly removed: number;
}

const contextLines = 3;
const maxLines = 400;
const maxLineLength = 500;
/** Above that many differences the parts in between are shown as removed and added as a whole. */
const maxDifferences = 400;

interface Step {
  readonly sign: ' ' | '-' | '+';
  readonly line: Units;
}

/** The difference of two texts as a unified diff, bounded in length whatever the texts are. */
export function diffTexts({ name, before, after, isNew, decode }: DiffParts): Diff {
  const { skipped, steps } = stepsBetween(before, after);
  const added = steps.filter(({ sign }) => sign === '+').length;
  const removed = steps.filter(({ sign }) => sign === '-').length;
  if (added + removed === 0) return { text: '', added, removed };
  const lines = hunksOf(steps, skipped, isNew).flatMap((hunk) => hunk);
  const shownLines = lines.slice(0, maxLines).map((line) => shorten(line, decode));
  const left = lines.length - shownLines.length;
  const header = [isNew ? '--- /dev/null' : `--- a/${name}`, `+++ b/${name}`];
  const end = left > 0 ? [`… ${left} more lines of this diff are left out`] : [];
  return { text: [...header, ...shownLines, ...end].join('\n'), added, removed };
}

interface Steps {
  /** Lines at the beginning that are the same in both and not among the steps. */
  readonly skipped: number;
  readonly steps: readonly Step[];
}

/** Only what lies between the common beginning and the common end is compared line by line. */
function stepsBetween(before: Units, after: Units): Steps {
  const start = lineStart(before, commonStart(before, after));
  const ends = commonEnd(before, after, start);
  const oldLines = piecesOf(before.slice(start, before.length - ends));
  const newLines = piecesOf(after.slice(start, after.length - ends));
  const lead = lastLines(before.slice(0, start));
  const trail = piecesOf(before.slice(before.length - ends)).slice(0, contextLines);
  const steps = [...same(lead), ...compare(oldLines, newLines), ...same(trail)];
  return { skipped: countLines(before, start) - lead.length, steps };
}
