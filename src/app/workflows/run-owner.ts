import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withFileLock } from '../../config/index.js';

/** Takes the folder of a run for this process, unless another has it. Of all who try at once, one is given it. */
export function takeFolder(folder: string): boolean {
  return withFileLock(join(folder, 'owner.lock'), (isHeld) => {
    if (isOwned(folder) || !isHeld()) return false;
    const made = join(folder, `owner.${String(process.pid)}`);
    writeFileSync(made, `${String(process.pid)} ${startOf(process.pid)}\n`, { mode: 0o600 });
    // Whole or not at all: nobody finds half of a name.
    renameSync(made, join(folder, 'owner'));
    return true;
  });
}

export function leaveFolder(folder: string): void {
  rmSync(join(folder, 'owner'), { force: true });
}

/** Whether the process that runs it is still there; its number may be another's by now, its start cannot. */
export function isOwned(folder: string): boolean {
  try {
    const [, pid, start] = /^([1-9]\d*) (\d*)\n$/.exec(readFileSync(join(folder, 'owner'), 'utf8')) ?? [];
    // What names nobody is nobody's: process number 0 would be ourselves.
    if (pid === undefined) return false;
    // Throws when there is no such process.
    process.kill(Number(pid), 0);
    return startOf(Number(pid)) === start;
  } catch {
    return false;
  }
}

/** When a process started, where the system says it. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
