import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withFileLock } from '../../lib/file-lock.js';

/** Locks a run folder for this process. If several processes try at once, only one succeeds. */
export function takeFolder(folder: string): boolean {
  return withFileLock(join(folder, 'owner.lock'), (isHeld) => {
    if (isOwned(folder) || !isHeld()) return false;
    const made = join(folder, `owner.${String(process.pid)}`);
    writeFileSync(made, `${String(process.pid)} ${startOf(process.pid)}\n`, { mode: 0o600 });
    // Rename atomically, so that no reader sees a partial file.
    renameSync(made, join(folder, 'owner'));
    return true;
  });
}

export function leaveFolder(folder: string): void {
  rmSync(join(folder, 'owner'), { force: true });
}

/** Whether the owner process is still running. The pid may be reused, so the start time is compared too. */
export function isOwned(folder: string): boolean {
  try {
    const [, pid, start] = /^([1-9]\d*) (\d*)\n$/.exec(readFileSync(join(folder, 'owner'), 'utf8')) ?? [];
    // An invalid owner file counts as unowned: pid 0 would mean ourselves.
    if (pid === undefined) return false;
    // Throws if there is no such process.
    process.kill(Number(pid), 0);
    return startOf(Number(pid)) === start;
  } catch {
    return false;
  }
}

/** The start time of a process, if the system provides it. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return '';
  }
}
