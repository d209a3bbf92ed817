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
  const writer = new ProgramWriter(parsed, most);
  // A match may start anywhere.
  const start = writer.reserve();
  const body = writer.place();
  writer.node(parsed.root, false);
  writer.add({ kind: 'match' });
  const skip = writer.add({ kind: 'char', takes: () => true, isBackward: false });
  writer.add({ kind: 'go', to: start });
  writer.fill(start, { kind: 'ways', first: body, second: skip });
  return writer.isFull ? undefined : { instructions: writer.instructions, hasBacks: writer.hasBacks };
}

class ProgramWriter {
  readonly instructions: Instruction[] = [];
  readonly hasBacks: boolean;
  isFull = false;
  readonly #most: number;
  readonly #names: ReadonlyMap<string, number>;
  readonly #takers = new Map<string, (codePoint: number) => boolean>();

  constructor({ root, names }: ParsedPattern, most: number) {
    this.hasBacks = refersBack(root);
    this.#names = names;
    this.#most = most;
  }

  place(): number {
    return this.instructions.length;
  }

  add(instruction: Instruction): number {
    if (this.instructions.length >= this.#most) this.isFull = true;
    else this.instructions.push(instruction);
    return this.instructions.length - 1;
  }

  /** Adds an instruction that `fill` replaces once its targets are known. */
  reserve(): number {
    return this.add({ kind: 'match' });
  }

  fill(at: number, instruction: Instruction): void {
    this.instructions[at] = instruction;
  }

  node(given: PatternNode, isBackward: boolean): void {
    if (this.isFull) return;
    switch (given.kind) {
      case 'char':
        return void this.add({ kind: 'char', takes: takerOf(given.source, this.#takers), isBackward });
      case 'edge':
        return void this.add(given);
      case 'sequence':
        for (const part of isBackward ? given.parts.toReversed() : given.parts) this.node(part, isBackward);
        return;
      case 'choice':
        return this.#choice(given.parts, isBackward);
      case 'group':
        return this.#group(given.index, given.of, isBackward);
      case 'repeat':
        return this.#repeat(given, isBackward);
      case 'back': {
        const to = typeof given.to === 'number' ? given.to : this.#names.get(given.to);
        return void this.add({ kind: 'back', group: to ?? 0, isBackward });
      }
      case 'look': {
        const at = this.reserve();
        const start = this.place();
        this.node(given.of, given.isBehind);
        this.add({ kind: 'match' });
        this.fill(at, { kind: 'look', start, isNegated: given.isNegated, next: this.place() });
      }
    }
  }

  #choice(parts: readonly PatternNode[], isBackward: boolean): void {
    const ends: number[] = [];
    for (const part of parts.slice(0, -1)) {
      const at = this.reserve();
      this.node(part, isBackward);
      ends.push(this.reserve());
      this.fill(at, { kind: 'ways', first: at + 1, second: this.place() });
    }
    for (const part of parts.slice(-1)) this.node(part, isBackward);
    for (const end of ends) this.fill(end, { kind: 'go', to: this.place() });
  }

  #group(index: number, of: PatternNode, isBackward: boolean): void {
    if (!this.hasBacks) return this.node(of, isBackward);
    this.add({ kind: 'save', slot: 2 * index + (isBackward ? 1 : 0) });
    this.node(of, isBackward);
    this.add({ kind: 'save', slot: 2 * index + (isBackward ? 0 : 1) });
  }

  #repeat({ least, most: greatest, isLazy, of }: RepeatNode, isBackward: boolean): void {
    const inner = this.hasBacks ? groupsIn(of) : [];
    const once = (): void => {
      if (inner.length > 0) this.add({ kind: 'forget', from: Math.min(...inner), to: Math.max(...inner) });
      this.node(of, isBackward);
    };
    for (let count = 0; count < least && !this.isFull; count += 1) once();
    if (greatest === Number.POSITIVE_INFINITY) {
      const at = this.reserve();
      once();
      this.add({ kind: 'go', to: at });
      return this.fill(at, ways(isLazy, at + 1, this.place()));
    }
    const exits: number[] = [];
    for (let count = least; count < greatest && !this.isFull; count += 1) {
      exits.push(this.reserve());
      once();
    }
    for (const at of exits) this.fill(at, ways(isLazy, at + 1, this.place()));
  }
}

function ways(isLazy: boolean, inside: number, beyond: number): Instruction {
  return isLazy
    ? { kind: 'ways', first: beyond, second: inside }
    : { kind: 'ways', first: inside, second: beyond };
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
