import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { sha256Of } from './sha256.js';
import { codeOf } from './error-code.js';

/** Names one process on one machine, for ever: a pid alone is used again. */
export interface Holder {
  readonly pid: number;
  /** Clock ticks since boot; empty where the system does not tell. */
  readonly startTime: string;
  /** The machine, its boot and its pid namespace. */
  readonly system: string;
}

export type HolderState = 'alive' | 'gone' | 'unknown';

export function ownHolder(): Holder {
  return { pid: process.pid, startTime: startTimeIn(readOwn('/proc/self/stat')) ?? '', system: ownSystem() };
}

/** `unknown`: it lives in another container or on another machine, or the system cannot tell one pid from its next use. */
export function stateOf(holder: Holder, own: Holder): HolderState {
  if (holder.system !== own.system) return 'unknown';
  if (process.platform !== 'linux') return isThere(holder.pid) ? 'unknown' : 'gone';
  try {
    const stat = readFileSync(`/proc/${holder.pid}/stat`, 'latin1');
    return startTimeIn(stat) === holder.startTime ? 'alive' : 'gone';
  } catch (error) {
    // Any other failure, such as too many open files, says nothing about that process.
    return codeOf(error) === 'ENOENT' || codeOf(error) === 'ESRCH' ? 'gone' : 'unknown';
  }
}

/** Undefined for a zombie too: it does nothing any more. */
function startTimeIn(stat: string): string | undefined {
  // The command name stands in parentheses and may itself hold spaces and parentheses.
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
    // No /proc here: the pid alone has to tell.
    return '';
  }
}

function readOwnLink(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    // As above.
    return '';
  }
}
