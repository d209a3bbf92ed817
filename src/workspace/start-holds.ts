import { lstatSync } from 'node:fs';
import { messageOf } from '../lib/error-message.js';
import type { CheckStart } from '../ports/start-refusal.js';
import type { RunningCommand } from '../services/shell/index.js';
import type { State } from './locate-config.js';
import { lockedBy } from './trusted-files.js';

type TrustRecord = ReturnType<State['trust']['list']>[number];

export interface StartHoldParts {
  readonly state: Pick<State, 'directory' | 'trust'>;
  /** False with `workspace.lock_trusted: false`: commands may then write trusted files. */
  readonly isLocked: () => boolean;
}

/** Why a program with these trust records must not start yet, as part of a sentence. Undefined: it may start. */
export type FindHold = (isRecord: (name: string) => boolean) => Promise<string | undefined>;

/**
 * A sandboxed command that began before files were trusted can still write them: it could replace one between the check
 * and the start. So no program starts until that command has ended.
 */
export function createStartHolds({ state, isLocked }: StartHoldParts): FindHold {
  return async (isRecord) => {
    if (!isLocked()) return undefined;
    const records = state.trust.list().filter(({ file }) => isRecord(file));
    if (records.length === 0) return undefined;
    const { runningCommands } = await import('../services/shell/index.js');
    let commands: readonly RunningCommand[];
    try {
      commands = runningCommands(state.directory);
    } catch (error) {
      return `the records of running Bash commands cannot be read: ${messageOf(error)}`;
    }
    for (const command of commands) {
      const open = openPaths(records, command).find(
        (path) => !command.locks.some((lock) => isInside(path, lock)),
      );
      if (open !== undefined) return holdBy(command, open);
    }
    return undefined;
  };
}

/** The times come from two processes. */
const toleranceMs = 2000;

/**
 * The paths that a command could still change. If it began before the files were trusted, all of them count, because it
 * decides what each path is now. If it began later, links do not count, because they cannot be locked.
 */
function openPaths(
  records: readonly TrustRecord[],
  { roots, writable, begunAt }: RunningCommand,
): readonly string[] {
  const isLater = ({ recorded }: TrustRecord): boolean => begunAt > Date.parse(recorded) + toleranceMs;
  const later = lockedBy(records.filter(isLater), roots, writable);
  const earlier = lockedBy(
    records.filter((record) => !isLater(record)),
    roots,
    writable,
  );
  return [...earlier.program, ...earlier.absent, ...later.program.filter(isThere), ...later.absent];
}

/** Checks before and after the comparison: a command may end in between, or create a missing file. */
export function withHold(
  findHold: () => Promise<string | undefined>,
  compare: () => Promise<string | undefined>,
): CheckStart {
  const held = async () => {
    const why = await findHold();
    return why === undefined ? undefined : { why, isPassing: true };
  };
  return async () => {
    const before = await held();
    if (before !== undefined) return before;
    const why = await compare();
    return why === undefined ? held() : { why };
  };
}

function holdBy({ begunAt, gatewayPid, foreignRecord }: RunningCommand, path: string): string {
  const since = new Date(begunAt).toISOString().slice(0, 19).replace('T', ' ');
  const where =
    foreignRecord === undefined
      ? `gateway process ${String(gatewayPid)}`
      : `a gateway on another machine or in another container; if that gateway is gone, remove ${foreignRecord}`;
  return `a Bash command that began at ${since} UTC is still running and could change ${path}, because it, or another command running at the same time, began before that file was trusted (${where}). Wait until the command has finished, or stop it with KillBash`;
}

/** Links cannot be locked. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === false;
  } catch {
    return false;
  }
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}
