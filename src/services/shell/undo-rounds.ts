import { moveAside } from './armed-trees.js';
import { createBreaks } from './breaks.js';

export interface UndoLook {
  readonly toMove: readonly string[];
  /** The number of repositories. */
  readonly trees: number;
  /** The indexes that link to other repositories. */
  readonly linking: readonly string[];
}

/** What was moved aside may have hidden more. */
const minRounds = 8;
const maxRounds = 100;

/**
 * Moves paths aside until nothing is left to move, and returns them. If something is left after many rounds, a command
 * creates it faster than this undoes it: then the linking indexes go too, so that git enters none of it from the top.
 */
export async function undoAll(
  look: () => Promise<UndoLook>,
  grounds: readonly string[],
): Promise<readonly string[]> {
  const takeBreak = createBreaks();
  const moved: string[] = [];
  const move = async (paths: readonly string[]): Promise<number> => {
    const before = moved.length;
    for (const path of paths) {
      await takeBreak();
      if (moveAside(path, grounds)) moved.push(path);
    }
    return moved.length - before;
  };
  let found = await look();
  const most = Math.min(minRounds + found.trees, maxRounds);
  for (let round = 0; round < most; round += 1) {
    if ((await move(found.toMove)) === 0) return moved;
    found = await look();
  }
  if (found.toMove.length > 0) await move([...found.toMove, ...found.linking]);
  return moved;
}
