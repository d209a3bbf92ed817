/** Test processes carry a tag in their command line, so that tests find them without the code under test. */
import { readdirSync, readFileSync } from 'node:fs';

/** A number of seconds for `sleep` that no other process uses. */
export function createTag(): string {
  return `3600.${String(Math.floor(Math.random() * 1e12)).padStart(12, '0')}`;
}

/** Pids of running processes with the tag. Zombies have no command line. */
export function findTagged(tag: string): readonly number[] {
  return pids().filter((pid) => readProc(pid, 'cmdline').includes(tag));
}

/** Pids of the `sleep` commands with the tag, without the programs that started them. */
export function findSleeping(tag: string): readonly number[] {
  return pids().filter((pid) => readProc(pid, 'cmdline') === `sleep\0${tag}\0`);
}

export function findReaper(gatePid: number): number | undefined {
  const isChild = (pid: number) =>
    readProc(pid, 'stat').split(') ').at(-1)?.split(' ')[1] === String(gatePid);
  return pids().find((pid) => isChild(pid) && readProc(pid, 'environ').includes('TIDEGATE_KEEPS='));
}

/** Returns the milliseconds until the condition holds; fails the test on timeout. */
export async function within(ms: number, what: string, isDone: () => boolean): Promise<number> {
  const begin = performance.now();
  while (!isDone()) {
    if (performance.now() - begin > ms) throw new Error(`${what}: not within ${ms} ms`);
    await pause(25);
  }
  return performance.now() - begin;
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** For controls, which leave survivors on purpose. */
export function endTagged(tag: string): void {
  for (const pid of findTagged(tag)) {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // Already ended.
    }
  }
}

/** Shell programs that are hard to end; each carries the tag. */
export function hardTrees(tag: string): readonly string[] {
  return [
    `while read -r line; do :; done # ${tag}`,
    `sleep ${tag} & sleep ${tag} & (sleep ${tag} & sleep ${tag}) & wait`,
    `trap '' TERM HUP INT; while :; do sleep ${tag}; done`,
    `setsid sleep ${tag} & setsid sh -c "trap '' TERM; sleep ${tag} & sleep ${tag}" & wait`,
    `(setsid sh -c 'sleep ${tag} & exit 0' &); sleep ${tag}`,
    `env -i sleep ${tag} & exec sleep ${tag}`,
  ];
}

function pids(): readonly number[] {
  return readdirSync('/proc').map(Number).filter(Number.isSafeInteger);
}

function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'latin1');
  } catch {
    return '';
  }
}
