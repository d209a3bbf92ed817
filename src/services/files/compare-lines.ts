export interface Step {
  readonly sign: ' ' | '-' | '+';
  readonly line: string;
}

/** With more differences than this, all lines count as removed and added. */
const maxDifferences = 400;
/** The same limit for comparisons, because each difference can compare many equal lines again. */
const maxCompared = 4_000_000;

/** The shortest edit script between two lists of lines, after E. W. Myers, "An O(ND) Difference Algorithm". */
export function compareLines(before: readonly string[], after: readonly string[]): readonly Step[] {
  const trace = shortest(before, after);
  if (trace === undefined) {
    const removed = before.map((line): Step => ({ sign: '-', line }));
    return [...removed, ...after.map((line): Step => ({ sign: '+', line }))];
  }
  return wayBack(trace, before, after);
}

interface Trace {
  /** For each number of differences: how far each diagonal got before that round. */
  readonly rounds: readonly Int32Array[];
  readonly middle: number;
}

function shortest(before: readonly string[], after: readonly string[]): Trace | undefined {
  const most = Math.min(before.length + after.length, maxDifferences);
  const middle = most + 1;
  const far = new Int32Array(2 * middle + 1);
  const rounds: Int32Array[] = [];
  let left = maxCompared;
  for (let round = 0; round <= most; round += 1) {
    rounds.push(far.slice());
    for (let diagonal = -round; diagonal <= round; diagonal += 2) {
      const from = cameFrom(far, middle, diagonal, round);
      let x = from > diagonal ? at(far, middle + from) : at(far, middle + from) + 1;
      const begin = x;
      while (x < before.length && x - diagonal < after.length && before[x] === after[x - diagonal]) x += 1;
      far[middle + diagonal] = x;
      left -= x - begin;
      if (left < 0) return undefined;
      if (x >= before.length && x - diagonal >= after.length) return { rounds, middle };
    }
  }
  return undefined;
}

function cameFrom(far: Int32Array, middle: number, diagonal: number, round: number): number {
  const isDown =
    diagonal === -round ||
    (diagonal !== round && at(far, middle + diagonal - 1) < at(far, middle + diagonal + 1));
  return isDown ? diagonal + 1 : diagonal - 1;
}

function wayBack(
  { rounds, middle }: Trace,
  before: readonly string[],
  after: readonly string[],
): readonly Step[] {
  const steps: Step[] = [];
  let x = before.length;
  let y = after.length;
  for (let round = rounds.length - 1; round >= 0; round -= 1) {
    const far = rounds[round] ?? new Int32Array(0);
    const from = cameFrom(far, middle, x - y, round);
    const fromX = round === 0 ? 0 : at(far, middle + from);
    const fromY = round === 0 ? 0 : fromX - from;
    while (x > fromX && y > fromY) {
      x -= 1;
      y -= 1;
      steps.push({ sign: ' ', line: before[x] ?? '' });
    }
    if (round === 0) break;
    if (x === fromX) steps.push({ sign: '+', line: after[fromY] ?? '' });
    else steps.push({ sign: '-', line: before[fromX] ?? '' });
    x = fromX;
    y = fromY;
  }
  return steps.reverse();
}

function at(far: Int32Array, index: number): number {
  return far[index] ?? 0;
}
