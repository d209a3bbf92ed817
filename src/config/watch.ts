import { type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

export interface ConfigWatch {
  close(): void;
}

export interface WatchTimes {
  /** How long the file must rest before it is looked at: writers do not write in one step. */
  readonly settle?: number;
  /** How often to look anyway. Network file systems and links into other directories send no events. */
  readonly poll?: number;
}

/** How often the file is looked at when the system cannot tell of changes at all. */
const POLL_WITHOUT_EVENTS = 1_000;

/**
 * Calls `onChange` after each change of the file since this call: written, replaced, linked elsewhere, removed. The directory is
 * watched, because editors put a new file in the place of the old one. Keeps no process alive.
 */
export function watchConfig(file: string, onChange: () => void, times: WatchTimes = {}): ConfigWatch {
  const { settle = 100, poll = 5_000 } = times;
  let known = stampOf(file);
  let pending: NodeJS.Timeout | undefined;
  let firstEvent = 0;
  let isMissing = false;

  const look = () => {
    pending = undefined;
    const stamp = stampOf(file);
    if (stamp === known) return;
    // Between removing and replacing there is no file. It is gone only if it is still gone a little later.
    if (stamp === undefined && !isMissing) {
      isMissing = true;
      pending = setTimeout(look, settle * 2).unref();
      return;
    }
    known = stamp;
    isMissing = false;
    onChange();
  };
  const lookSoon = () => {
    const now = performance.now();
    if (pending === undefined) firstEvent = now;
    // A file that never rests is looked at all the same.
    else if (now - firstEvent > settle * 10) return;
    clearTimeout(pending);
    pending = setTimeout(look, settle).unref();
  };

  const events = watchDirectory(file, lookSoon);
  const timer = setInterval(
    lookSoon,
    events === undefined ? Math.min(poll, POLL_WITHOUT_EVENTS) : poll,
  ).unref();
  return {
    close() {
      events?.close();
      clearInterval(timer);
      clearTimeout(pending);
      pending = undefined;
    },
  };
}

function watchDirectory(file: string, onEvent: () => void): FSWatcher | undefined {
  const name = basename(file);
  try {
    const watcher = watch(dirname(file), { persistent: false }, (_, changed) => {
      if (changed === null || changed === name) onEvent();
    });
    // Polling goes on without it.
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    // No such directory, or no more watches to be had: polling alone.
    return undefined;
  }
}

function stampOf(file: string): string | undefined {
  try {
    const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
    return stats && `${stats.dev} ${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`;
  } catch {
    return undefined;
  }
}
