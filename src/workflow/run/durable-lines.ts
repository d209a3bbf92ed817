import { appendFileSync, closeSync, fdatasync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

/** A file that is only ever added to, and that says when what was added would survive the loss of power. */
export interface DurableLines {
  add(value: unknown): void;
  /** Whoever wrote here last may have died in the middle of a line. */
  endCutLine(): void;
  /** Resolves when all that was added before is on the disk. Those who wait at the same time share the work. */
  synced(): Promise<void>;
  close(): void;
}

/** `isNew`: it must not be there yet, and its name is made to last too. */
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
      // What goes on may have begun before the last line came: the next one counts, for all who come until then.
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

/** The file, its folder and the folder of folders: each holds the name of the next. */
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

/** Some file systems, and folders on some systems, have nothing to sync. */
function isUnsyncable(error: unknown): boolean {
  return (
    error instanceof Error &&
    'code' in error &&
    ['EINVAL', 'ENOTSUP', 'EPERM', 'EISDIR'].includes(String(error.code))
  );
}
