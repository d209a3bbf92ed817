import { execFile } from 'node:child_process';
import { closeSync, constants, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { open as openCallback } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';

/** Both ends of a system pipe. The receiver must close both. */
export interface Pipe {
  readonly readEnd: number;
  readonly writeEnd: number;
}

/** Creates system pipes. Node's own pipes are sockets, which no program can reopen as /dev/stdout. */
export interface SystemPipes {
  /** Undefined if none can be created; use Node's own pipes then. */
  takePair(): Promise<readonly [Pipe, Pipe] | undefined>;
  close(): void;
}

const open = promisify(openCallback);
const batchSize = 8;
const makeMs = 5000;
const programs = ['/usr/bin/mkfifo', '/bin/mkfifo', '/run/current-system/sw/bin/mkfifo'];

/** Creates pipes in batches, ahead of need, because each batch starts a process for some milliseconds. */
export function openSystemPipes(stateDir: string): SystemPipes {
  const ready: Pipe[] = [];
  let making: Promise<void> | undefined;
  let isClosed = false;

  const make = async (): Promise<void> => {
    const made = await makeBatch(stateDir);
    if (isClosed) made.forEach(closePipe);
    else ready.push(...made);
  };
  const makeMore = () => (making ??= make().finally(() => (making = undefined)));

  return {
    async takePair() {
      if (process.platform === 'win32' || isClosed) return undefined;
      if (ready.length < 2) await makeMore();
      const [first, second] = [ready.pop(), ready.pop()];
      if (ready.length < 2) void makeMore();
      if (first !== undefined && second !== undefined) return [first, second];
      for (const pipe of [first, second]) if (pipe !== undefined) ready.push(pipe);
      return undefined;
    },
    close() {
      isClosed = true;
      for (const pipe of ready.splice(0)) closePipe(pipe);
    },
  };
}

function closePipe({ readEnd, writeEnd }: Pipe): void {
  closeSync(readEnd);
  closeSync(writeEnd);
}

/** Opened and then removed from the folder, so that no other process can find them. Empty if that fails. */
async function makeBatch(stateDir: string): Promise<readonly Pipe[]> {
  const made: Pipe[] = [];
  let folder: string | undefined;
  try {
    mkdirSync(resolve(stateDir), { recursive: true, mode: 0o700 });
    folder = mkdtempSync(join(resolve(stateDir), 'pipes-'));
    const paths = Array.from({ length: batchSize }, (_none, index) => join(folder ?? '', String(index)));
    await makeFifos(paths);
    for (const path of paths) made.push(await openBoth(path));
  } catch {
    // No program, no space, or too many open files: use the pipes created so far, or Node's own.
  }
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  return made;
}

async function openBoth(path: string): Promise<Pipe> {
  // The reader first and without blocking; otherwise both opens wait for each other.
  const readEnd = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    return { readEnd, writeEnd: await open(path, constants.O_WRONLY) };
  } catch (error) {
    closeSync(readEnd);
    throw error;
  }
}

async function makeFifos(paths: readonly string[]): Promise<void> {
  for (const program of programs) {
    const isMade = await new Promise<boolean>((settle) => {
      const options = { timeout: makeMs, env: {}, cwd: '/' };
      execFile(program, ['-m', '600', '--', ...paths], options, (error) => settle(error === null));
    });
    if (isMade) return;
  }
  throw new Error('there is no mkfifo');
}
