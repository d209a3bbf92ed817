import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { nodeReaper, shellReaper } from './reaper-scripts.js';
import { reaperName } from './mark.js';
import { readOwnGroup } from './proc-table.js';

export interface ReaperParts {
  readonly gateId: string;
  /** Removed by the reaper when its work is done. */
  readonly leaseFile: string;
  readonly log: (line: string) => void;
  /** Path of the shell. Without one, a Node script does the same. */
  readonly shell?: string;
}

/** A separate process that ends all registered groups when this process exits. */
export interface Reaper {
  /** Starts it if none runs; throws if that is impossible, because no child may run without one. */
  ensure(): void;
  add(group: number): void;
  remove(group: number): void;
  /** See `ProcessOrder.foldersFile`. */
  addRecord(file: string): void;
  /** Releases the reaper: it ends what is left, then exits. */
  close(): void;
}

/** Fixed, so that no workspace can make the reaper run its `grep`. */
const searchPath = '/usr/bin:/bin:/usr/sbin:/sbin:/usr/local/bin:/run/current-system/sw/bin';
const restartMs = 1000;
const maxQuickRestarts = 5;

export function openReaper(parts: ReaperParts): Reaper {
  const groups = new Set<number>();
  const records = new Set<string>();
  let running: ChildProcess | undefined;
  let startedAt = Number.NEGATIVE_INFINITY;
  let quickDeaths = 0;
  let isClosed = false;

  const tell = (text: string) => void running?.stdin?.write(text);
  const ensure = () => {
    if (running !== undefined || isClosed) return;
    startedAt = performance.now();
    running = startReaper(parts);
    running.once('exit', restart);
    for (const file of records) tell(`r ${file}\n`);
    for (const group of groups) tell(`+ ${group}\n`);
  };
  const ensureLater = () => {
    try {
      if (groups.size > 0) ensure();
    } catch (error) {
      parts.log(String(error));
    }
  };
  const restart = () => {
    running = undefined;
    if (isClosed || groups.size === 0) return;
    parts.log('The reaper process was killed; starting another one.');
    quickDeaths = performance.now() - startedAt < restartMs ? quickDeaths + 1 : 0;
    // Restarts at once after an accident, but once a second if reapers keep dying.
    if (quickDeaths <= maxQuickRestarts) ensureLater();
    else setTimeout(ensureLater, restartMs).unref();
  };

  return {
    ensure,
    add: (group) => {
      groups.add(group);
      tell(`+ ${group}\n`);
    },
    remove: (group) => {
      groups.delete(group);
      tell(`- ${group}\n`);
    },
    addRecord: (file) => {
      // A line break in the name would start another command; the next gateway reads that record.
      if (records.has(file) || file.includes('\n')) return;
      records.add(file);
      tell(`r ${file}\n`);
    },
    close: () => {
      ensureLater();
      isClosed = true;
      running?.stdin?.end();
    },
  };
}

type Attempt = readonly [command: string, args: readonly string[]];

function startReaper(parts: ReaperParts): ChildProcess {
  const shell = parts.shell ?? '/bin/sh';
  const words = [parts.gateId, parts.leaseFile, String(readOwnGroup() ?? 0)];
  const asShell: Attempt = [shell, ['-c', shellReaper, 'tidegate-reaper', ...words]];
  const asNode: Attempt = [process.execPath, ['-e', nodeReaper, '--', ...words]];
  const attempts = process.platform === 'win32' ? [asNode] : [asShell, asNode];
  for (const [command, args] of attempts) {
    const started = spawnReaper(command, args, parts.gateId);
    if (started.pid !== undefined) return started;
  }
  throw new Error(
    `The reaper process could not be started (tried ${shell} and Node), and nothing runs without it.`,
  );
}

/** In a separate session, so that neither Ctrl+C nor a kill of our group reaches it. */
function spawnReaper(command: string, args: readonly string[], gateId: string): ChildProcess {
  const started = spawn(command, args, {
    cwd: process.platform === 'win32' ? undefined : '/',
    detached: true,
    env: { PATH: searchPath, LC_ALL: 'C', [reaperName]: gateId },
    // Node opens the pipe close-on-exec: no child of ours can hold its write end.
    stdio: ['pipe', 'ignore', 'ignore'],
    windowsHide: true,
  });
  // A missing pid shows a failed start; after a broken pipe, `exit` follows and starts another reaper.
  started.on('error', () => {});
  started.stdin.on('error', () => {});
  started.unref();
  if (started.stdin instanceof Socket) started.stdin.unref();
  return started;
}
