/** Signals to whole process groups; on Windows, where there are none, to process trees. */
import { execFile } from 'node:child_process';

export type GroupSignal = 'SIGTERM' | 'SIGKILL';

/** False if no member is left that we may signal. Unreaped zombies still count as members. */
export function hasGroup(pid: number): boolean {
  return send(process.platform === 'win32' ? pid : -pid, 0);
}

export function signalGroup(pid: number, signal: GroupSignal): void {
  if (process.platform === 'win32') endWindowsTree(pid);
  // Never 0 or 1: those mean our own group, or every process.
  else if (pid > 1) send(-pid, signal);
}

export function signalProcess(pid: number, signal: GroupSignal): void {
  if (process.platform === 'win32') endWindowsTree(pid);
  else if (pid > 1 && pid !== process.pid) send(pid, signal);
}

function send(target: number, signal: GroupSignal | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch {
    // ESRCH: gone. EPERM: no longer ours (or, on macOS, only zombies), so there is nothing to end.
    return false;
  }
}

/** Windows has no gentle signal for console programs, so both steps end the tree. */
function endWindowsTree(pid: number): void {
  execFile('taskkill', ['/PID', String(pid), '/T', '/F'], { windowsHide: true, timeout: 5000 }, () => {
    // Fails if the tree is already gone, which is fine.
  });
}
