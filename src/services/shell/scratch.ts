import {
  existsSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { rm } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { namesIn } from '../../lib/list-folder.js';
import { recordName, removeRecorded, stillRecorded } from './placeholders.js';
import { createCallFilter } from './call-filter.js';

/** The gateway's folder for commands, in its state directory: a private /tmp per session, and the cleanup record. */
export interface Scratch {
  readonly recordFile: string;
  /** A unique name for this process and this scratch. */
  readonly owner: string;
  /** The folder that a session's commands see as /tmp. Undefined if all folders are in use. */
  temporaryOf(sessionId: string, isBusy?: (sessionId: string) => boolean): string | undefined;
  /** The file with the system call filter; undefined on an unsupported processor. */
  callFilter(hasUnixSockets: boolean): string | undefined;
  /** Call when the session has ended. */
  forget(sessionId: string): Promise<void>;
  close(): Promise<void>;
}

const maxSessions = 256;
const namePattern = /^([1-9][0-9]*)-([0-9]*)-([0-9A-Za-z.]*)-[0-9a-z]+$/;
/**
 * Processes on another machine or in another container can't be checked from here; after this time they count as dead.
 */
const foreignMs = 7 * 24 * 3600 * 1000;

/** Creates nothing before the first command. */
export function openScratch(stateDir: string): Scratch {
  const all = join(stateDir, 'shell');
  const suffix = Math.random().toString(36).slice(2, 10);
  const owner = [process.pid, startTimeOf(process.pid), systemName(), suffix].join('-');
  const own = join(all, owner);
  const folders = new Map<string, string>();
  let made = 0;
  let removing: Promise<unknown> = Promise.resolve();

  /**
   * A running command could put a link in place of a folder during its removal and redirect it, so only folders of
   * sessions without a command are removed.
   */
  const hasRoom = (isBusy: (sessionId: string) => boolean): boolean => {
    if (folders.size < maxSessions) return true;
    const oldest = [...folders].find(([sessionId]) => !isBusy(sessionId));
    if (oldest === undefined) return false;
    folders.delete(oldest[0]);
    removing = removing.then(() => remove(oldest[1]));
    return true;
  };

  return {
    recordFile: join(own, recordName),
    owner,
    temporaryOf(sessionId, isBusy = () => false) {
      const known = folders.get(sessionId);
      if (known === undefined) {
        if (!hasRoom(isBusy)) return undefined;
        if (made === 0) removing = sweep(all);
      } else folders.delete(sessionId);
      const folder = known ?? join(own, `tmp-${String((made += 1))}`);
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      // Keeps the most recently used folder last.
      folders.set(sessionId, folder);
      return realpathSync(folder);
    },
    callFilter(hasUnixSockets) {
      const filter = createCallFilter({ hasUnixSockets });
      if (filter === undefined) return undefined;
      const file = join(own, hasUnixSockets ? 'calls-and-sockets.bpf' : 'calls.bpf');
      if (existsSync(file)) return file;
      mkdirSync(own, { recursive: true, mode: 0o700 });
      writeFileSync(file, filter, { mode: 0o600 });
      return file;
    },
    async forget(sessionId) {
      const folder = folders.get(sessionId);
      folders.delete(sessionId);
      if (folder !== undefined) await remove(folder);
    },
    async close() {
      await removing;
      if (made > 0) await remove(own);
    },
  };
}

/** Removes what dead gateways left: their folders here, and the empty folders that they created elsewhere. */
export async function sweepScratch(stateDir: string): Promise<void> {
  await sweep(join(stateDir, 'shell'));
}

/** The empty folders that dead gateways left in workspaces, and their cgroups. */
export function foldersOfDead(stateDir: string): readonly string[] {
  const all = join(stateDir, 'shell');
  const dead = namesIn(all).filter((name) => isDead(all, name));
  return [...new Set(dead.flatMap((name) => stillRecorded(join(all, name, recordName))))];
}

async function sweep(all: string): Promise<void> {
  for (const name of namesIn(all)) {
    if (!isDead(all, name)) continue;
    await removeRecorded(join(all, name, recordName));
    await remove(join(all, name));
  }
}

/** Whether the gateway that a file is named after has ended. `end` matches what follows the gateway's name. */
export function isDeadOwner(folder: string, name: string, end: RegExp): boolean {
  return end.test(name) && isDead(folder, name, name.replace(end, ''));
}

/** Whether a gateway with that name runs, or ran, on this machine and in this container. */
export function isOfThisSystem(owner: string): boolean {
  return namePattern.exec(owner)?.[3] === systemName();
}

function isDead(all: string, name: string, owner = name): boolean {
  const [, pid, startTime, system] = namePattern.exec(owner) ?? [];
  if (pid === undefined) return false;
  if (system === systemName()) return startTimeOf(Number(pid)) !== startTime;
  const found = statSync(join(all, name), { throwIfNoEntry: false });
  return found !== undefined && Date.now() - found.mtimeMs > foreignMs;
}

/** Distinguishes this machine and pid namespace from others that share the state directory. */
function systemName(): string {
  const machine = hostname().replace(/[^0-9A-Za-z.]/g, '.');
  try {
    return `${machine}.${readlinkSync('/proc/self/ns/pid').replace(/\D/g, '')}`;
  } catch {
    return machine;
  }
}

async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 2 }).catch(() => {
    // A command created something that its own user can't remove. It stays and only takes up space.
  });
}

/**
 * Together with the pid, identifies a process forever. Empty for a live process without /proc: there only dead pids are
 * swept.
 */
function startTimeOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
  } catch {
    return isAlive(pid) ? '' : 'dead';
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
