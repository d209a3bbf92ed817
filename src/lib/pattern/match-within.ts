import { type Instruction, compileProgram, type Program } from './program.js';
import { type Edge, parsePattern, type PatternNode } from './parse-pattern.js';

/** Remaining work. All patterns of one check can share a budget. */
export interface StepBudget {
  left: number;
}

/** `too_costly`: the budget ran out. `invalid`: not a usable pattern. */
export type PatternAnswer = 'match' | 'no_match' | 'too_costly' | 'invalid';

const mostInstructions = 20_000;
const mostVisits = 1 << 26;
/** Steps of the native matcher in the time of one of ours. */
const nativeSteps = 16;

/** About a tenth of a second. */
export function createStepBudget(steps = 2_000_000): StepBudget {
  return { left: steps };
}

/**
 * Whether a regular expression (flag `u`) matches within a text, in bounded time for any input: pattern × text steps, or
 * the whole budget if the pattern has backreferences.
 */
export function matchWithin(source: string, text: string, budget = createStepBudget()): PatternAnswer {
  if (source.length > mostInstructions) return 'too_costly';
  const native = regExpOf(source);
  const parsed = native && parsePattern(source);
  if (native === undefined || parsed === undefined) return 'invalid';
  const cost = (simpleCost(parsed.root) * (text.length + 1)) / nativeSteps;
  if (cost <= budget.left) {
    budget.left -= cost;
    return native.test(text) ? 'match' : 'no_match';
  }
  const program = compileProgram(parsed, mostInstructions);
  if (program === undefined || text.length > budget.left) return 'too_costly';
  budget.left -= program.instructions.length;
  const points = pointsOf(text);
  if (!program.hasBacks && program.instructions.length * (points.length + 1) > mostVisits)
    return 'too_costly';
  const found = run({ program, points, budget }, 0, 0, []);
  return found === 'too_costly' ? found : found === undefined ? 'no_match' : 'match';
}

function regExpOf(source: string): RegExp | undefined {
  try {
    return new RegExp(source, 'u');
  } catch {
    return undefined;
  }
}

/** Native steps per character for simple sequences that hardly backtrack; otherwise infinite. */
function simpleCost(root: PatternNode): number {
  const parts = root.kind === 'sequence' ? root.parts : [];
  let cost = root.kind === 'sequence' ? 1 : Number.POSITIVE_INFINITY;
  let choices = 0;
  for (const part of parts) {
    const of = part.kind === 'repeat' ? part.of : part;
    if (of.kind !== 'char' && of.kind !== 'edge') return Number.POSITIVE_INFINITY;
    if (part.kind === 'repeat' && part.least !== part.most) choices += 1;
    cost += part.kind === 'repeat' ? part.least + 1 : 1;
  }
  const [first] = parts;
  const last = parts.at(-1);
  const isAnchored = first?.kind === 'edge' && first.edge === 'start';
  // Nothing follows the last part, so it never backtracks.
  const isLastChoice = last?.kind === 'repeat' && last.least !== last.most;
  return choices > (isAnchored || isLastChoice ? 1 : 0) ? Number.POSITIVE_INFINITY : cost;
}

interface Matching {
  readonly program: Program;
  readonly points: Int32Array;
  readonly budget: StepBudget;
}

function pointsOf(text: string): Int32Array {
  const points = new Int32Array(text.length);
  let length = 0;
  for (let at = 0; at < text.length; length += 1) {
    const point = text.codePointAt(at) ?? 0;
    points[length] = point;
    at += point > 0xffff ? 2 : 1;
  }
  return points.subarray(0, length);
}

/** Start and end of captures, by slot. */
type Captures = readonly (number | undefined)[];

/** Depth-first search that visits no state twice: without captures, a state that failed once always fails. */
function run(
  matching: Matching,
  start: number,
  from: number,
  given: Captures,
  isInner = false,
): Captures | 'too_costly' | undefined {
  const { program, points, budget } = matching;
  const isNew = createVisits(matching, isInner);
  // A set is slower than an array.
  const cost = isInner || program.hasBacks ? 8 : 1;
  // Three stacks of numbers are several times faster than one of objects.
  const [pcs, ats, kept] = [[start], [from], [given]];
  const push = (pc: number, at: number, captures: Captures): void => {
    pcs.push(pc);
    ats.push(at);
    kept.push(captures);
  };
  for (let pc = pcs.pop(); pc !== undefined; pc = pcs.pop()) {
    const at = ats.pop() ?? 0;
    const captures = kept.pop() ?? [];
    budget.left -= cost;
    if (budget.left < 0) return 'too_costly';
    if (!isNew(pc, at, captures)) continue;
    const instruction = program.instructions[pc];
    if (instruction === undefined || instruction.kind === 'match') return captures;
    if (instruction.kind === 'ways') {
      push(instruction.second, at, captures);
      push(instruction.first, at, captures);
    } else if (instruction.kind === 'look') {
      const seen = run(matching, instruction.start, at, captures, true);
      if (seen === 'too_costly') return seen;
      if ((seen === undefined) === instruction.isNegated) push(instruction.next, at, seen ?? captures);
    } else if (instruction.kind === 'go') push(instruction.to, at, captures);
    else if (instruction.kind === 'save' || instruction.kind === 'forget')
      push(pc + 1, at, changed(instruction, at, captures));
    else {
      const next = advance(instruction, at, captures, points);
      // Characters compared by a backreference count as work too.
      if (instruction.kind === 'back') budget.left -= Math.abs(next - at);
      if (next >= 0) push(pc + 1, next, captures);
    }
  }
  return undefined;
}

/** Nested runs visit few states; the outermost may visit all. */
function createVisits(
  { program, points }: Matching,
  isInner: boolean,
): (pc: number, at: number, captures: Captures) => boolean {
  const size = program.instructions.length;
  if (program.hasBacks) {
    const seen = new Set<string>();
    return (pc, at, captures) => seen.size !== seen.add(`${pc},${at},${captures.join()}`).size;
  }
  if (isInner) {
    const seen = new Set<number>();
    return (pc, at) => seen.size !== seen.add(at * size + pc).size;
  }
  const bits = new Uint8Array(Math.ceil((size * (points.length + 1)) / 8));
  return (pc, at) => {
    const state = at * size + pc;
    const byte = bits[state >> 3] ?? 0;
    const bit = 1 << (state & 7);
    bits[state >> 3] = byte | bit;
    return (byte & bit) === 0;
  };
}

type Saving = Extract<Instruction, { readonly kind: 'save' | 'forget' }>;

function changed(instruction: Saving, at: number, captures: Captures): Captures {
  if (instruction.kind === 'save') return Object.assign([...captures], { [instruction.slot]: at });
  const { from, to } = instruction;
  return captures.map((slot, index) => (index >= 2 * from && index <= 2 * to + 1 ? undefined : slot));
}

type Advancing = Extract<Instruction, { readonly kind: 'char' | 'edge' | 'back' }>;

/** Where the match continues, or -1. */
function advance(instruction: Advancing, at: number, captures: Captures, points: Int32Array): number {
  if (instruction.kind === 'edge') return isEdge(instruction.edge, points, at) ? at : -1;
  const { isBackward } = instruction;
  if (instruction.kind === 'char') {
    const point = points[isBackward ? at - 1 : at];
    if (point === undefined || !instruction.takes(point)) return -1;
    return isBackward ? at - 1 : at + 1;
  }
  const [from, to] = [captures[2 * instruction.group], captures[2 * instruction.group + 1]];
  const wanted = points.subarray(from ?? 0, to === undefined || from === undefined ? (from ?? 0) : to);
  const start = isBackward ? at - wanted.length : at;
  if (start < 0 || wanted.some((point, offset) => points[start + offset] !== point)) return -1;
  return isBackward ? start : at + wanted.length;
}

function isEdge(edge: Edge, points: Int32Array, at: number): boolean {
  if (edge === 'start') return at === 0;
  if (edge === 'end') return at === points.length;
  const isBetween = isWord(points[at - 1]) !== isWord(points[at]);
  return isBetween === (edge === 'word');
}

function isWord(point: number | undefined): boolean {
  return point !== undefined && /\w/.test(String.fromCodePoint(point));
}
