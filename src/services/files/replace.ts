import { type BigIntStats, constants } from 'node:fs';
import { type FileHandle, link, open as openHandle, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { codeOf } from '../../lib/error-code.js';
import type { Drafts } from './drafts.js';
import { cancelled, changedSinceRead, fromSystem } from './failures.js';
import { identityOf } from './known.js';
import type { Open, Opened } from './opened.js';

export interface Replacement {
  readonly given: string;
  readonly folder: Opened;
  readonly name: string;
  /** The real path that was checked. The folder must not have moved since. */
  readonly path: string;
  readonly bytes: Buffer;
  /** The present file; absent if there is none. */
  readonly previous?: BigIntStats;
  readonly isHeld: () => boolean;
  readonly signal?: AbortSignal;
}

export interface Replaced {
  readonly stats: BigIntStats;
  readonly notes: readonly string[];
}

const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
const creating = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW;

/** Replaces a file with a complete, synced draft. At every moment the old or the new content is there. */
export async function replaceFile(order: Replacement, drafts: Drafts, open: Open): Promise<Replaced> {
  const { folder, given, name } = order;
  const draft = await drafts.begin(dirname(order.path), name);
  const at = folder.at(draft.name);
  try {
    const replaced = await writeAndPlace(order, at, open);
    await syncFolder(folder);
    await draft.forget();
    return replaced;
  } catch (error) {
    // A draft that cannot be removed stays noted; the next start removes it.
    if (await isRemoved(at)) await draft.forget();
    throw fromSystem(error, given);
  }
}

async function writeAndPlace(order: Replacement, draft: string, open: Open): Promise<Replaced> {
  const { previous, bytes } = order;
  // Others must not read it before it gets the mode of the file it replaces.
  const handle = await openHandle(draft, creating, previous ? 0o600 : 0o666);
  try {
    await handle.writeFile(bytes);
    const notes = previous ? await takeOver(handle, previous) : [];
    await handle.sync();
    await checkLast(order, open);
    if (previous) await rename(draft, order.folder.at(order.name));
    else await placeNew(order, draft);
    return { stats: await handle.stat({ bigint: true }), notes };
  } finally {
    await handle.close();
  }
}

/** Copies mode and, if permitted, owner. Drops setuid and setgid if the owner changes. */
async function takeOver(handle: FileHandle, { mode, uid, gid }: BigIntStats): Promise<readonly string[]> {
  const now = await handle.stat({ bigint: true });
  const isKept =
    (now.uid === uid && now.gid === gid) ||
    (await handle.chown(Number(uid), Number(gid)).then(
      () => true,
      () => false,
    ));
  await handle.chmod(Number(mode) & (isKept ? 0o7777 : 0o777));
  return isKept ? [] : ['The owner of the file could not be preserved.'];
}

/** Checks again what may have changed while the draft was written. */
async function checkLast(
  { given, folder, name, path, previous, isHeld, signal }: Replacement,
  open: Open,
): Promise<void> {
  if (signal?.aborted) throw cancelled();
  const now = await open(folder.at(name));
  await now?.close();
  const isSame = previous ? now && identityOf(now.stats) === identityOf(previous) : now === undefined;
  if (!isSame || !isHeld() || join(await folder.where(), name) !== path) throw changedSinceRead(given);
}

/** `link` fails if the name exists, so a file that appears at this moment is not lost. */
async function placeNew({ folder, name, given }: Replacement, draft: string): Promise<void> {
  try {
    await link(draft, folder.at(name));
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw changedSinceRead(given);
    if (!noLinks.has(codeOf(error))) throw error;
    return await rename(draft, folder.at(name));
  }
  await unlink(draft);
}

const noLinks: ReadonlySet<unknown> = new Set([
  'EPERM',
  'ENOTSUP',
  'EOPNOTSUPP',
  'ENOSYS',
  'EMLINK',
  'EINVAL',
]);

/**
 * After a power loss the old content may return, nothing worse; so a folder that cannot be synced is not an
 * error.
 */
async function syncFolder(folder: Opened): Promise<void> {
  try {
    const handle = await folder.openFolder();
    await handle.sync().finally(() => handle.close());
  } catch {
    // For example, a folder that can be written but not read, or a system that cannot sync folders.
  }
}

async function isRemoved(draft: string): Promise<boolean> {
  try {
    await unlink(draft);
    return true;
  } catch (error) {
    return codeOf(error) === 'ENOENT';
  }
}
