import type { Edge, ParsedPattern, PatternNode, RepeatNode } from './parse-pattern.js';

/** One instruction of a compiled pattern. */
export type Instruction =
  | { readonly kind: 'char'; readonly takes: (codePoint: number) => boolean; readonly isBackward: boolean }
  | { readonly kind: 'ways'; readonly first: number; readonly second: number }
  | { readonly kind: 'go'; readonly to: number }
  | { readonly kind: 'edge'; readonly edge: Edge }
  | { readonly kind: 'look'; readonly start: number; readonly isNegated: boolean; readonly next: number }
  | { readonly kind: 'save'; readonly slot: number }
  | { readonly kind: 'forget'; readonly from: number; readonly to: number }
  | { readonly kind: 'back'; readonly group: number; readonly isBackward: boolean }
  | { readonly kind: 'match' };

export interface Program {
  readonly instructions: readonly Instruction[];
  /** Captures are recorded only if the pattern has backreferences. */
  readonly hasBacks: boolean;
}

/** Undefined above `most` instructions: counted repetitions are unrolled. */
export function compileProgram(parsed: ParsedPattern, most: number): Program | undefined {
  const writer = createWriter(parsed, most);
  // A match may start anywhere.
  const start = writer.reserve();
  const body = writer.place();
  writer.node(parsed.root, false);
  writer.add({ kind: 'match' });
  const skip = writer.add({ kind: 'char', takes: () => true, isBackward: false });
  writer.add({ kind: 'go', to: start });
  writer.fill(start, { kind: 'ways', first: body, second: skip });
  return writer.isFull() ? undefined : { instructions: writer.instructions, hasBacks: writer.hasBacks };
}

function createWriter({ root, names }: ParsedPattern, most: number) {
  const instructions: Instruction[] = [];
  const takers = new Map<string, (codePoint: number) => boolean>();
  const hasBacks = refersBack(root);
  let isOver = false;
  const place = (): number => instructions.length;
  const add = (instruction: Instruction): number => {
    if (instructions.length >= most) isOver = true;
    else instructions.push(instruction);
    return instructions.length - 1;
  };
  const reserve = (): number => add({ kind: 'match' });
  const fill = (at: number, instruction: Instruction): void => {
    instructions[at] = instruction;
  };
  const ways = (isLazy: boolean, inside: number, beyond: number): Instruction =>
    isLazy
      ? { kind: 'ways', first: beyond, second: inside }
      : { kind: 'ways', first: inside, second: beyond };

  function node(given: PatternNode, isBackward: boolean): void {
    if (isOver) return;
    switch (given.kind) {
      case 'char':
        return void add({ kind: 'char', takes: takerOf(given.source, takers), isBackward });
      case 'edge':
        return void add(given);
      case 'sequence':
        for (const part of isBackward ? given.parts.toReversed() : given.parts) node(part, isBackward);
        return;
      case 'choice':
        return choice(given.parts, isBackward);
      case 'group':
        return group(given.index, given.of, isBackward);
      case 'repeat':
        return repeat(given, isBackward);
      case 'back': {
        const to = typeof given.to === 'number' ? given.to : names.get(given.to);
        return void add({ kind: 'back', group: to ?? 0, isBackward });
      }
      case 'look': {
        const at = reserve();
        const start = place();
        node(given.of, given.isBehind);
        add({ kind: 'match' });
        fill(at, { kind: 'look', start, isNegated: given.isNegated, next: place() });
      }
    }
  }

  function choice(parts: readonly PatternNode[], isBackward: boolean): void {
    const ends: number[] = [];
    for (const part of parts.slice(0, -1)) {
      const at = reserve();
      node(part, isBackward);
      ends.push(reserve());
      fill(at, { kind: 'ways', first: at + 1, second: place() });
    }
    for (const part of parts.slice(-1)) node(part, isBackward);
    for (const end of ends) fill(end, { kind: 'go', to: place() });
  }

  function group(index: number, of: PatternNode, isBackward: boolean): void {
    if (!hasBacks) return node(of, isBackward);
    add({ kind: 'save', slot: 2 * index + (isBackward ? 1 : 0) });
    node(of, isBackward);
    add({ kind: 'save', slot: 2 * index + (isBackward ? 0 : 1) });
  }

  function repeat({ least, most: greatest, isLazy, of }: RepeatNode, isBackward: boolean): void {
    const inner = hasBacks ? groupsIn(of) : [];
    const once = (): void => {
      if (inner.length > 0) add({ kind: 'forget', from: Math.min(...inner), to: Math.max(...inner) });
      node(of, isBackward);
    };
    for (let count = 0; count < least && !isOver; count += 1) once();
    if (greatest === Number.POSITIVE_INFINITY) {
      const at = reserve();
      once();
      add({ kind: 'go', to: at });
      return fill(at, ways(isLazy, at + 1, place()));
    }
    const exits: number[] = [];
    for (let count = least; count < greatest && !isOver; count += 1) {
      exits.push(reserve());
      once();
    }
    for (const at of exits) fill(at, ways(isLazy, at + 1, place()));
  }

  return { instructions, hasBacks, isFull: () => isOver, place, add, reserve, fill, node };
}

function refersBack(node: PatternNode): boolean {
  return node.kind === 'back' || insideOf(node).some(refersBack);
}

function groupsIn(node: PatternNode): readonly number[] {
  return [...(node.kind === 'group' ? [node.index] : []), ...insideOf(node).flatMap(groupsIn)];
}

function insideOf(node: PatternNode): readonly PatternNode[] {
  if ('parts' in node) return node.parts;
  return 'of' in node ? [node.of] : [];
}

/** Single characters are matched natively, so classes, properties and escapes are always right. */
function takerOf(source: string, known: Map<string, (codePoint: number) => boolean>) {
  const made = known.get(source);
  if (made !== undefined) return made;
  const shape = new RegExp(`^(?:${source})$`, 'u');
  const ascii = Array.from({ length: 128 }, (_, code) => shape.test(String.fromCharCode(code)));
  const takes = (code: number): boolean => ascii[code] ?? shape.test(String.fromCodePoint(code));
  known.set(source, takes);
  return takes;
}
