import { closeSync, openSync, readdirSync, readFileSync } from 'node:fs';

/** One entry per descriptor of a child, as `spawn` takes it. */
export type Stdio = readonly ('ignore' | 'pipe' | number)[];

const closeOnExec = 0o2000000;

/** Starts a child with no descriptors but those in its `stdio`. */
export type LeakCover = <Result>(stdio: Stdio, start: (stdio: Stdio) => Result) => Result;

/**
 * The gateway's parent may have left open descriptors that its children would inherit: a file, a socket, a
 * folder outside every sandbox. Node hides only the first sixteen and cannot close one in the child, so each
 * child gets /dev/null instead. The gateway keeps them, because one may be its parent's lock. Searches once,
 * because Node's own descriptors are close-on-exec and a search is slow.
 */
export function createLeakCover(): LeakCover {
  let inherited: readonly number[] | undefined;
  return (stdio, start) => {
    inherited ??= leakingDescriptors();
    return covered(inherited, stdio, start);
  };
}

function covered<Result>(
  inherited: readonly number[],
  stdio: Stdio,
  start: (stdio: Stdio) => Result,
): Result {
  const leaking = inherited.filter((descriptor) => descriptor >= stdio.length);
  if (leaking.length === 0) return start(stdio);
  const nothing = openSync('/dev/null', 'r');
  try {
    const last = leaking.reduce((one, other) => Math.max(one, other));
    const isLeaking = new Set(leaking);
    const all = Array.from({ length: last + 1 }, (_none, index) =>
      isLeaking.has(index) ? nothing : (stdio[index] ?? 'ignore'),
    );
    return start(all);
  } finally {
    closeSync(nothing);
  }
}

/** Descriptors above stderr that a child would inherit. Other systems close them. */
function leakingDescriptors(): readonly number[] {
  if (process.platform !== 'linux') return [];
  return openDescriptors().filter((descriptor) => descriptor > 2 && isInherited(descriptor));
}

function openDescriptors(): readonly number[] {
  try {
    return readdirSync('/proc/self/fd').map(Number);
  } catch {
    // Unknown without /proc.
    return [];
  }
}

function isInherited(descriptor: number): boolean {
  try {
    const found = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, 'latin1'));
    return (Number.parseInt(found?.[1] ?? '0', 8) & closeOnExec) === 0;
  } catch {
    // Closed since the listing, like the descriptor of the listing itself.
    return false;
  }
}
