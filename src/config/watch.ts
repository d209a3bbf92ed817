import { type FSWatcher, statSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

export interface ConfigWatch {
  close(): void;
}

export interface WatchTimes {
  /** How long the file must be unchanged before it is checked, because writers write in several steps. */
  readonly settle?: number;
  /** The polling interval. Network file systems and links into other directories send no events. */
  readonly poll?: number;
}

/** The polling interval when file events are unavailable. */
const POLL_WITHOUT_EVENTS = 1_000;

/**
 * Calls `onChange` after each change of the file: written, replaced, relinked or deleted. It watches the directory, because
 * editors replace the file. Does not keep the process alive.
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
    // A replaced file is missing for a moment. It counts as deleted only if it is still missing a little later.
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
    // A file that changes all the time is checked anyway.
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
    // Polling continues without events.
    watcher.on('error', () => watcher.close());
    return watcher;
  } catch {
    // The directory is missing or the watch limit is reached. Fall back to polling.
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
