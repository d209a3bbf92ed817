import { access, constants, mkdir } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { codeOf } from '../../lib/error-code.js';
import { ToolFailure } from '../../core/index.js';
import { readWhole, regularFile, withHandle } from './content.js';
import type { FileContext } from './file-service.js';
import { changedSinceRead, fromSystem, isFolder, notFound, outside, protectedPath } from './failures.js';
import { type Knowledge, knowledgeOf } from './known.js';
import { isInside, shown } from './names.js';
import type { Opened } from './opened.js';
import { protectionOf } from './protected.js';
import { type Place, walk } from './walk.js';

/** A place to write: its folder exists, is open and checked, and locked against other writers. */
export interface Spot {
  readonly given: string;
  readonly folder: Opened;
  readonly name: string;
  readonly path: string;
  readonly isHeld: () => boolean;
}

export interface SpotOptions {
  readonly given: string;
  /** Create missing folders, and accept a missing file. */
  readonly mayCreate: boolean;
}

/** Runs an action on the place of a path, with a lock shared by all gateways of this user. */
export async function withSpot<T>(
  { given, mayCreate }: SpotOptions,
  context: FileContext,
  action: (spot: Spot) => Promise<T>,
): Promise<T> {
  const place = await walk(given, context.ground);
  try {
    const { path } = place;
    refuseProtected(place, given, context);
    if (place.target === undefined && !mayCreate) throw notFound(given);
    if (place.target?.stats.isDirectory() || endsLikeFolder(given)) throw isFolder(given);
    // One lock for spellings that some systems treat as the same name.
    const key = path.normalize('NFC').toLowerCase();
    return await withFolders(place, context, given, (folder) =>
      context.locks.withLock(key, (isHeld) => action({ given, folder, name: basename(path), path, isHeld })),
    );
  } catch (error) {
    throw fromSystem(error, given);
  } finally {
    await place.close();
  }
}

function endsLikeFolder(given: string): boolean {
  return [sep, '/', `${sep}.`, '/.'].some((end) => given.endsWith(end));
}

function refuseProtected({ path }: Place, given: string, context: FileContext): void {
  const { roots } = context.ground;
  const ours = context.own.whyNotWritten(path);
  if (ours !== undefined) throw protectedPath(given, ours);
  for (const root of roots.all.filter((one) => isInside(path, one))) {
    const why = protectionOf(root, path);
    if (why !== undefined) throw protectedPath(given, why);
  }
  if (context.isRunByGit(path)) throw protectedPath(given, 'git runs it, or reads its configuration from it');
}

/** Creates missing folders one by one, each inside the one opened before. */
async function withFolders<T>(
  { folder, within, missing }: Pick<Place, 'folder' | 'within' | 'missing'>,
  context: FileContext,
  given: string,
  use: (folder: Opened) => Promise<T>,
): Promise<T> {
  const { ground } = context;
  const [name, ...rest] = missing;
  if (name === undefined || rest.length === 0) return await use(folder);
  const expected = join(within, name);
  await mkdir(folder.at(name)).catch((error: unknown) => {
    if (codeOf(error) !== 'EEXIST') throw error;
  });
  const next = await ground.open(folder.at(name));
  try {
    // Another process created a link or a file there, or moved the folder, at this moment.
    if (!next?.stats.isDirectory() || (await next.where()) !== expected)
      throw outside(given, ground.roots.all);
    return await withFolders({ folder: next, within: expected, missing: rest }, context, given, use);
  } finally {
    await next?.close();
  }
}

/** The present file at a spot. */
export interface Current {
  readonly stats: Opened['stats'];
  /** Absent if the file exceeds the limit. */
  readonly bytes?: Buffer;
  readonly knowledge: Knowledge;
}

/** Replacing a file by a draft would bypass its write protection. */
export async function refuseReadOnly({ folder, name, given }: Spot): Promise<void> {
  try {
    await access(folder.at(name), constants.W_OK);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return;
    throw new ToolFailure('refused', `${shown(given)} may not be written: it is read-only.`, {
      reason: 'read_only',
      suggestion: 'Ask a person to make the file writable.',
    });
  }
}

/** Undefined if nothing exists there. */
export async function readCurrent(
  spot: Spot,
  { ground }: FileContext,
  limit: number,
): Promise<Current | undefined> {
  const { given, folder, name } = spot;
  const target = await ground.open(folder.at(name));
  if (target === undefined) return undefined;
  try {
    // The path was already resolved, so a link here must be new.
    if (target.stats.isSymbolicLink()) throw changedSinceRead(given);
    return await withHandle(regularFile(target, given), async (handle) => {
      const stats = await handle.stat({ bigint: true });
      const bytes = await readWhole(handle, Number(stats.size), limit);
      return { stats, ...(bytes && { bytes }), knowledge: knowledgeOf(stats, bytes) };
    });
  } finally {
    await target.close();
  }
}
