import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf } from '../../lib/error-code.js';
import { messageOf } from '../../lib/error-message.js';
import { namesIn } from '../../lib/list-folder.js';
import { type ArmedCause, keyOfCause } from './armed-trees.js';
import { createLinkReader } from './git-links.js';
import { isInside } from './inside.js';
import { findNestedArmed } from './nested-armed.js';
import { shownPath } from './odd-path.js';
import { findPlaces } from './protected-places.js';
import { isDeadOwner, isOfThisSystem } from './scratch.js';
import { causesToMove } from './undo-causes.js';
import { undoAll } from './undo-rounds.js';
import { createWorkspaceScan } from './workspace-scan.js';

/** What the check after a command needs. */
export interface OpenCheck {
  readonly roots: readonly string[];
  readonly grounds: readonly string[];
  readonly begunAt: number;
  /** See `keyOfCause`. */
  readonly known: readonly string[];
  readonly fixed: readonly string[];
  /** See `relativeHookFolders`. Missing in records of older versions. */
  readonly hookFolders?: readonly string[];
  /** Folders outside the roots that the configuration lets commands write to. */
  readonly writable?: readonly string[];
  /** What neither this command nor those that ran when it began can change, because trusted programs load it. */
  readonly locks?: readonly string[];
}

/** A sandboxed command that has not ended, of any gateway with this state folder. */
export interface RunningCommand extends Required<Pick<OpenCheck, 'roots' | 'writable' | 'locks'>> {
  readonly begunAt: number;
  /** The gateway that started it. */
  readonly gatewayPid: number;
  /** The record, if the gateway is on another machine or in another container and can't be queried. */
  readonly foreignRecord?: string;
}

export type RecordCheck = (check: OpenCheck) => () => void;

const recordEnd = /\.[0-9]+\.json$/;
const checksFolder = (stateDir: string): string => join(stateDir, 'git-checks');

/** Records each command until its check is done: the next gateway runs the checks of a killed one. */
export function createCheckRecords(stateDir: string, owner: string): RecordCheck {
  const folder = checksFolder(stateDir);
  let count = 0;
  return (check) => {
    count += 1;
    const file = join(folder, `${owner}.${String(count)}.json`);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const write = (locks: readonly string[]): void => {
      writeFileSync(`${file}.new`, JSON.stringify({ ...check, locks }), { mode: 0o600 });
      renameSync(`${file}.new`, file);
    };
    // Written first without locks, so that of two commands that start at once, each sees the other.
    write([]);
    write(heldLocks(check.locks ?? [], runningCommands(stateDir, file)));
    return () => rmSync(file, { force: true });
  };
}

/**
 * The locks that no other running command can undo. A command without the lock can rename the locked folder, so that a
 * copy takes its place, which is not locked for anyone.
 */
function heldLocks(locks: readonly string[], others: readonly RunningCommand[]): readonly string[] {
  return locks.filter((path) =>
    others.every(
      (other) =>
        ![...other.roots, ...other.writable].some((folder) => isInside(path, folder)) ||
        other.locks.some((lock) => isInside(path, lock)),
    ),
  );
}

/** Every command is recorded from before its start until none of its processes is left. `except`: a record to leave out. */
export function runningCommands(stateDir: string, except?: string): readonly RunningCommand[] {
  const folder = checksFolder(stateDir);
  return recordsIn(folder).flatMap((name) => {
    const file = join(folder, name);
    if (file === except || !recordEnd.test(name) || isDeadOwner(folder, name, recordEnd)) return [];
    const check = readRunning(file);
    // The command has ended since the folder was read.
    if (check === undefined) return [];
    const { roots, writable = [], locks = [], begunAt } = check;
    const owner = name.replace(recordEnd, '');
    const gatewayPid = Number.parseInt(owner, 10);
    const command = { roots, writable, locks, begunAt, gatewayPid };
    return [isOfThisSystem(owner) ? command : { ...command, foreignRecord: file }];
  });
}

/** Runs the checks that killed gateways left, and returns what was moved aside. */
export async function finishChecks(stateDir: string): Promise<readonly string[]> {
  const folder = checksFolder(stateDir);
  const moved: string[] = [];
  for (const name of namesIn(folder)) {
    if (!isDeadOwner(folder, name, /\.[0-9]+\.json(?:\.new)?$/)) continue;
    const check = readCheck(join(folder, name));
    if (check !== undefined) moved.push(...(await finish(check)));
    rmSync(join(folder, name), { force: true });
  }
  return moved;
}

async function finish({
  roots,
  grounds,
  begunAt,
  known,
  fixed,
  hookFolders = [],
}: OpenCheck): Promise<readonly string[]> {
  const before = new Set(known);
  const isKnown = (one: ArmedCause): boolean => before.has(keyOfCause(one));
  const readLinks = createLinkReader();
  const scan = createWorkspaceScan(roots, () => []);
  const none = { nestedTrees: [], nestedPlaces: [], globalConfigs: [], protectedPaths: () => [] };
  const isFixed = (path: string): boolean => fixed.some((one) => isInside(path, one));
  const look = async () => {
    const { trees, oddTrees } = await scan();
    const nested = await findNestedArmed(roots, [...trees, ...oddTrees], readLinks, hookFolders);
    const { armed } = findPlaces({ roots, readLinks, ...none }, isKnown);
    const causes = [...armed, ...nested.armed].filter((one) => !isKnown(one));
    const toMove = causesToMove(causes, { begunAt, grounds, isFixed, known: before });
    return { toMove, trees: trees.length, linking: nested.linking.filter((index) => !isFixed(index)) };
  };
  return (await undoAll(look, grounds)).map(shownPath);
}

/** Fails if the folder exists and cannot be read: then the running commands are unknown. */
function recordsIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Undefined if the command has ended. Fails if the record cannot be read. */
function readRunning(file: string): OpenCheck | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as OpenCheck;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new Error(`${file}: ${messageOf(error)}`, { cause: error });
  }
}

function readCheck(file: string): OpenCheck | undefined {
  try {
    // Only gateways write to the state folder.
    return JSON.parse(readFileSync(file, 'utf8')) as OpenCheck;
  } catch {
    return undefined;
  }
}
