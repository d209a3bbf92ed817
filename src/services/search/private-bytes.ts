import { readFileSync } from 'node:fs';

const pageBytes = 4096;

/** The private memory of a process, without mapped files. Zero if it cannot be read. */
export function privateBytes(pid: number): number {
  if (process.platform !== 'linux') return 0;
  try {
    const [, resident = 0, shared = 0] = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ').map(Number);
    return (resident - shared) * pageBytes;
  } catch {
    // The process is gone.
    return 0;
  }
}
