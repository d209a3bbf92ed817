import { readFileSync } from 'node:fs';

/** Limits on open files. `hard` is a number that no other process has: see `ProcessOrder.fileLimitMark`. */
export interface FileLimit {
  readonly soft: number;
  readonly hard: number;
}

const span = 40_000;
const usualMost = 1_048_576;

/** Gives each command a different hard limit, above the requested one if this process may set that. */
export function createFileLimits(most: number = ownMost()): (wanted: number) => FileLimit {
  let turn = Math.floor(Math.random() * span);
  return (wanted) => {
    turn = (turn + 1) % span;
    const above = (wanted === 0 ? most / 2 : wanted) + 1 + turn;
    const hard = Math.floor(above < most ? above : most - 1 - (turn % Math.ceil(most / 8)));
    return { soft: wanted === 0 ? hard : Math.min(wanted, hard), hard };
  };
}

/** The highest limit that this process can give its children. */
function ownMost(): number {
  try {
    const found = /^Max open files\s+\S+\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'latin1'));
    return found?.[1] === undefined ? usualMost : Number(found[1]);
  } catch {
    // Not Linux, where processes are not found by their limit either.
    return usualMost;
  }
}
