import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync } from 'node:fs';
import { lstat, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder that only this user can access, for the socket of one process. */
export interface SocketFolder {
  readonly path: string;
  remove(): Promise<void>;
}

/** Systems allow 104 or 108 bytes for the address of a socket; plugins add a name like `plugin1234567890`. */
const longestFolder = 78;
const folderName = /^[1-9][0-9]*-[0-9a-f]{12}$/;
const startMs = 60_000;
const mostFolders = 10_000;

export function makeSocketFolder(home: string): SocketFolder {
  const name = `${String(process.pid)}-${randomBytes(6).toString('hex')}`;
  const isShort = Buffer.byteLength(join(home, name)) <= longestFolder;
  const parent = isShort ? home : shortHome();
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  refuseForeign(parent);
  const path = join(parent, name);
  mkdirSync(path, { mode: 0o700 });
  // Leave a marker in the home folder, so that the next start knows to clean up the other one.
  const trace = isShort ? undefined : join(home, name);
  if (trace !== undefined) mkdirSync(trace, { recursive: true, mode: 0o700 });
  return {
    path,
    async remove() {
      for (const one of [path, trace]) if (one !== undefined) await rm(one, { recursive: true, force: true });
    },
  };
}

/** Used if the path of the state directory is too long for a socket. */
function shortHome(): string {
  return join(tmpdir(), `tidegate-${String(process.getuid?.() ?? 'user')}`);
}

/** The owner of the folder could replace the socket, so it must be this user. */
function refuseForeign(folder: string): void {
  const stats = lstatSync(folder);
  const self = process.getuid?.();
  const isOurs =
    stats.isDirectory() && (self === undefined || (stats.uid === self && (stats.mode & 0o022) === 0));
  if (!isOurs) throw new Error(`other users can change ${folder}, which is needed for plugin sockets`);
}

type IsRunning = (pid: number) => boolean;

/** Deletes the socket folders of gateways that no longer run. Returns how many. */
export async function sweepSocketFolders(home: string, isRunning: IsRunning): Promise<number> {
  let removed = 0;
  for (const parent of [home, shortHome()]) {
    const names = await readdir(parent).catch(() => []);
    for (const name of names.filter((one) => folderName.test(one)).slice(0, mostFolders)) {
      const path = join(parent, name);
      if (!(await isLeft(path, Number.parseInt(name, 10), isRunning))) continue;
      await rm(path, { recursive: true, force: true }).catch(() => undefined);
      removed += 1;
    }
  }
  return removed;
}

async function isLeft(folder: string, pid: number, isRunning: IsRunning): Promise<boolean> {
  const stats = await lstat(folder).catch(() => undefined);
  if (stats?.isDirectory() !== true || stats.uid !== (process.getuid?.() ?? stats.uid)) return false;
  if (!isRunning(pid)) return true;
  // The pid may have been reused by an unrelated process, so check whether anything listens.
  if (pid === process.pid || Date.now() - stats.mtimeMs < startMs) return false;
  const sockets = await readdir(folder).catch(() => []);
  const answers = await Promise.all(sockets.map((name) => isListening(join(folder, name))));
  return !answers.includes(true);
}

function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const end = (answer: boolean) => (): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.once('connect', end(true)).once('error', end(false)).setTimeout(1000, end(true));
  });
}
