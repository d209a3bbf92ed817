import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface LongPath {
  /** Relative to the folder that it was made in. */
  readonly path: string;
  /** What is this long cannot be removed by its path. */
  remove(): void;
}

/**
 * Makes a folder with a file whose path below `base` has exactly so many bytes, which may be more than the system opens.
 */
export function makeLongPath(base: string, bytes: number, nameLength: number): LongPath {
  const whole = pathOf(bytes, nameLength);
  const pieces = piecesOf(whole.split('/'), 3000);
  const starts = pieces.map((piece, index) => {
    const start = join(base, `piece-${String(index)}`);
    mkdirSync(join(start, ...piece), { recursive: true });
    return { start, first: piece[0] ?? '', end: join(start, ...piece) };
  });
  writeFileSync(join(starts.at(-1)?.end ?? '', 'deep.txt'), 'needle\n');
  // From the end: each piece is hung into the one before it, by paths that are short enough.
  const [head, ...rest] = starts;
  const targets = starts.slice(0, -1).map(({ end }) => end);
  for (const [index, { start, first }] of [...rest.entries()].reverse())
    renameSync(join(start, first), join(targets[index] ?? '', first));
  if (head !== undefined) renameSync(join(head.start, head.first), join(base, head.first));
  return {
    path: whole,
    remove() {
      if (head === undefined) return;
      renameSync(join(base, head.first), join(head.start, head.first));
      for (const [index, { start, first }] of rest.entries())
        renameSync(join(targets[index] ?? '', first), join(start, first));
      for (const { start } of starts) rmSync(start, { recursive: true });
    },
  };
}

function pathOf(bytes: number, nameLength: number): string {
  const step = nameLength + 1;
  const count = Math.floor(bytes / step);
  const last = bytes - count * step;
  const names = Array.from({ length: count }, () => 'd'.repeat(nameLength));
  // What is left over must be a name too: with nothing left, there is one slash less to write.
  return last === 0 ? `${names.join('/')}d` : [...names, 'd'.repeat(last)].join('/');
}

function piecesOf(names: readonly string[], longest: number): readonly (readonly string[])[] {
  const pieces: string[][] = [[]];
  let length = 0;
  for (const name of names) {
    if (length + name.length + 1 > longest) {
      pieces.push([]);
      length = 0;
    }
    pieces.at(-1)?.push(name);
    length += name.length + 1;
  }
  return pieces;
}
