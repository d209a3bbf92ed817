import { readFileSync } from 'node:fs';

const pageBytes = 4096;

/** The memory that a process has for itself, without the files it maps. Zero where that cannot be read. */
export function privateBytes(pid: number): number {
  if (process.platform !== 'linux') return 0;
  try {
    const [, resident = 0, shared = 0] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ').map(Number);
    return (resident - shared) * pageBytes;
  } catch {
    // It is gone.
    return 0;
  }
}
