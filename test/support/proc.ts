import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** What the kernel says about processes. Linux only, as are the suites that need it. */
export const hasProc = process.platform === 'linux';

/** Memory of a process in bytes: now, and the most since it began or since `forgetPeak`. */
export function memoryOf(pid: number): { readonly now: number; readonly peak: number } {
  const status = readFileSync(`/proc/${String(pid)}/status`, 'latin1');
  const kilobytes = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0);
  return { now: kilobytes('VmRSS') * 1024, peak: kilobytes('VmHWM') * 1024 };
}

export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${String(pid)}/clear_refs`, '5');
}

/** Every living process that carries the mark in its arguments or environment, this one left out. */
export function findMarked(mark: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^[1-9]\d*$/.test(name))
    .map(Number)
    .filter((pid) => pid !== process.pid && isLiving(pid) && isMarked(pid, mark));
}

export function isLiving(pid: number): boolean {
  const stat = readProc(pid, 'stat');
  const state = stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3);
  return state !== '' && state !== 'Z' && state !== 'X';
}

/** Arguments and environment, for messages. */
export function describeProcess(pid: number): string {
  return `${String(pid)}: ${readProc(pid, 'cmdline').replaceAll('\0', ' ').slice(0, 200)}`;
}

function isMarked(pid: number, mark: string): boolean {
  return readProc(pid, 'cmdline').includes(mark) || readProc(pid, 'environ').includes(mark);
}

function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${String(pid)}/${name}`, 'latin1');
  } catch {
    // Gone, or not ours to look at.
    return '';
  }
}
