import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { sha256Of } from './sha256.js';
import { codeOf } from './error-code.js';

/** Identifies one process on one machine permanently, because pids are reused. */
export interface Holder {
  readonly pid: number;
  /** Clock ticks since boot; empty if the system does not report them. */
  readonly startTime: string;
  /** The machine, its boot and its pid namespace. */
  readonly system: string;
}

export type HolderState = 'alive' | 'gone' | 'unknown';

export function ownHolder(): Holder {
  return { pid: process.pid, startTime: startTimeIn(readOwn('/proc/self/stat')) ?? '', system: ownSystem() };
}

/** `unknown`: it runs in another container or on another machine, or the system cannot detect a reused pid. */
export function stateOf(holder: Holder, own: Holder): HolderState {
  if (holder.system !== own.system) return 'unknown';
  if (process.platform !== 'linux') return isThere(holder.pid) ? 'unknown' : 'gone';
  try {
    const stat = readFileSync(`/proc/${holder.pid}/stat`, 'latin1');
    return startTimeIn(stat) === holder.startTime ? 'alive' : 'gone';
  } catch (error) {
    // Any other error, such as too many open files, says nothing about that process.
    return codeOf(error) === 'ENOENT' || codeOf(error) === 'ESRCH' ? 'gone' : 'unknown';
  }
}

/** Undefined for a zombie too, because it no longer does anything. */
function startTimeIn(stat: string): string | undefined {
  // The command name is in parentheses and may contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' || fields[0] === 'X' ? undefined : fields[19];
}

function ownSystem(): string {
  const boot = readOwn('/proc/sys/kernel/random/boot_id').trim();
  const text = `${hostname()} ${boot} ${readOwnLink('/proc/self/ns/pid')}`;
  return sha256Of(text).slice(0, 16);
}

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) !== 'ESRCH';
  }
}

function readOwn(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    // Without /proc, only the pid identifies a process.
    return '';
  }
}

function readOwnLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // Unknown without /proc.
    return '';
  }
}
