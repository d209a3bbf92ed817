import { appendFileSync, closeSync, fdatasync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

/** An append-only file that reports when its data would survive a power loss. */
export interface DurableLines {
  add(value: unknown): void;
  /** Ends a line that a killed process may have left incomplete. */
  endCutLine(): void;
  /** Resolves when everything added so far is on disk. Concurrent callers share one sync. */
  synced(): Promise<void>;
  close(): void;
}

/** `isNew`: the file must not exist yet, and its directory entry is synced too. */
export function openDurableLines(file: string, isNew: boolean): DurableLines {
  const descriptor = openSync(file, isNew ? 'wx' : 'a', 0o600);
  if (isNew) syncNames(file);
  let running: Promise<void> | undefined;
  let waiting: Promise<void> | undefined;

  function begin(): Promise<void> {
    waiting = undefined;
    const work = syncData(descriptor).finally(() => {
      if (running === work) running = undefined;
    });
    running = work;
    return work;
  }

  return {
    add: (value) => appendFileSync(descriptor, `${JSON.stringify(value)}\n`),
    endCutLine: () => appendFileSync(descriptor, '\n'),
    synced() {
      if (running === undefined) return begin();
      // The running sync may have started before the last line was added, so wait for the next one.
      waiting ??= running.then(begin, begin);
      return waiting;
    },
    close: () => closeSync(descriptor),
  };
}

function syncData(descriptor: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fdatasync(descriptor, (error) => (error === null || isUnsyncable(error) ? resolve() : reject(error)));
  });
}

/** Syncs the folder and its parent, because each one holds the name of the next. */
function syncNames(file: string): void {
  const folder = dirname(file);
  for (const path of [folder, dirname(folder)]) {
    const descriptor = openSync(path, 'r');
    try {
      fsyncSync(descriptor);
    } catch (error) {
      if (!isUnsyncable(error)) throw error;
    } finally {
      closeSync(descriptor);
    }
  }
}

/** Some file systems, and folders on some platforms, cannot be synced. */
function isUnsyncable(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    ['EINVAL', 'ENOTSUP', 'EPERM', 'EISDIR'].includes(String(error.code))
  );
}
