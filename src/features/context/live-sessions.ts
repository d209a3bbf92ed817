import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../../lib/list-folder.js';
import { type Holder, ownHolder, stateOf } from '../../lib/process-holder.js';
import type { ActiveTools } from '../../exposure/index.js';
import { type LiveParts, sessionOf, type ContextSession } from './context-session.js';

/** Minimum time between writes. */
const pauseMs = 100;

/** Publishes the active tools of this process's sessions in a file that exists while the process runs. */
export function publishSessions(
  exposure: Pick<ActiveTools, 'sessions' | 'onActivity'>,
  { stateDirectory, file }: LiveParts,
): { close(): void } {
  const folder = folderOf(stateDirectory);
  const own = ownHolder();
  const path = join(folder, `${String(own.pid)}.${own.startTime}.${own.system}.json`);
  let timer: NodeJS.Timeout | undefined;
  const write = (): void => {
    timer = undefined;
    const sessions = exposure.sessions().map(sessionOf);
    replace(folder, path, JSON.stringify({ file, sessions }));
  };
  const note = (): void => {
    timer ??= setTimeout(write, pauseMs).unref();
  };
  const stop = exposure.onActivity(note);
  note();
  return {
    close() {
      stop();
      clearTimeout(timer);
      rmSync(path, { force: true });
    },
  };
}

/** Active tools of other processes with this configuration. Removes files of ended processes. */
export async function liveSessions({ stateDirectory, file }: LiveParts): Promise<readonly ContextSession[]> {
  const folder = folderOf(stateDirectory);
  const own = ownHolder();
  const found = await Promise.all(
    namesIn(folder).map(async (name) => {
      const holder = holderIn(name);
      if (holder === undefined || holder.pid === own.pid) return [];
      const path = join(folder, name);
      const state = stateOf(holder, own);
      if (state === 'gone') rmSync(path, { force: true });
      return state === 'gone' ? [] : sessionsIn(path, file).map((one) => ({ ...one, pid: holder.pid }));
    }),
  );
  return found.flat();
}

function folderOf(stateDirectory: string): string {
  return join(stateDirectory, 'active');
}

function holderIn(name: string): Holder | undefined {
  const [, pid, startTime = '', system = ''] = /^(\d+)\.(\d*)\.([0-9a-f]+)\.json$/.exec(name) ?? [];
  return pid === undefined ? undefined : { pid: Number(pid), startTime, system };
}

function sessionsIn(path: string, file: string | undefined): readonly ContextSession[] {
  try {
    const record = JSON.parse(readFileSync(path, 'utf8')) as {
      readonly file?: string;
      readonly sessions: readonly ContextSession[];
    };
    return record.file === file ? record.sessions : [];
  } catch {
    // The process just ended.
    return [];
  }
}

/** Errors are ignored: only a report needs this file, so a full disk must not end a session. */
function replace(folder: string, path: string, text: string): void {
  const draft = join(folder, `.${randomUUID()}`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    writeFileSync(draft, text, { mode: 0o600 });
    renameSync(draft, path);
  } catch {
    rmSync(draft, { force: true });
  }
}
