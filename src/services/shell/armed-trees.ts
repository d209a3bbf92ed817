import {
  chmodSync,
  closeSync,
  constants,
  lstatSync,
  openSync,
  readlinkSync,
  renameSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { entriesIn } from './folder-names.js';
import { freeName } from './free-name.js';
import { commonOf, gitFolderOf, isOwnWorktree } from './git-folders.js';
import { isHarmlessConfig } from './harmless-config.js';
import { isInside } from './inside.js';
import { isOddPath, pathForDisk } from './odd-path.js';
import { lookAt, readWholeText } from './plain-file.js';
import { isRepository } from './workspace-scan.js';

/** A file or folder that may make git run something in a work tree, or that hides what does. */
export interface ArmedCause {
  readonly tree: string;
  readonly cause: string;
  /** The work tree that the index links to, if that link is the cause. */
  readonly link?: string;
  /** Distinguishes a cause from an earlier one at the same path. */
  readonly mark?: string;
}

export function keyOfCause({ tree, cause, link = '', mark = '' }: ArmedCause): string {
  return [tree, cause, link, mark].join('\0');
}

/** Identifies where a `.git` file points; undefined if there is none. */
export function keyOfPointer(tree: string): string | undefined {
  const pointer = join(tree, '.git');
  try {
    if (lookAt(pointer)?.isFile() !== true) return undefined;
    return keyOfCause({ tree, cause: pointer, mark: readWholeText(pointer, 4096) });
  } catch {
    // Git does not write such a pointer, so it counts as a cause.
    return undefined;
  }
}

type ReadFolderLinks = (gitFolder: string) => readonly string[] | undefined;

/** Counts everything that is not known to be harmless. */
export function causesIn(tree: string, readLinks: ReadFolderLinks): readonly ArmedCause[] {
  const pointer = join(tree, '.git');
  const found = lookAt(pointer);
  // Most code that reads repositories takes strings, so nothing here is known to be harmless.
  if (isOddPath(tree) && (found !== undefined || isBare(tree)))
    return [{ tree, cause: found === undefined ? join(tree, 'HEAD') : pointer }];
  if (found === undefined) return isBare(tree) ? causesOf(tree, tree).map((cause) => ({ tree, cause })) : [];
  const causes = found.isDirectory() || isPlainPointer(pointer) ? [] : [pointer];
  const folder = gitFolderOf(tree);
  if (folder !== undefined) causes.push(...causesOf(folder, tree), ...hiddenIndex(folder, readLinks));
  return causes.map((cause) => ({ tree, cause }));
}

/** True if the content makes the folder a repository: git finds it when it starts in there. */
function isBare(folder: string): boolean {
  return isRepository((name) => lookAt(join(folder, name)) !== undefined);
}

/**
 * Rejects links, which can be replaced at any time, and unusual bytes, which git and we might read as different paths.
 */
function isPlainPointer(pointer: string): boolean {
  try {
    return lstatSync(pointer).isFile() && /^gitdir: \P{Cc}+\n?$/u.test(readWholeText(pointer, 4096));
  } catch {
    return false;
  }
}

function causesOf(folder: string, tree: string): readonly string[] {
  const common = commonOf(folder) ?? folder;
  const isLed = lookAt(join(folder, 'commondir')) !== undefined && !isOwnWorktree(folder, common);
  const configs = [join(common, 'config'), join(folder, 'config.worktree')];
  const hooks = join(common, 'hooks');
  const commondir = join(folder, 'commondir');
  return [
    ...configs.filter((config) => !isHarmlessConfig(config, folder, tree)),
    ...(hasHooks(hooks) ? [hooks] : []),
    ...(isLed ? [commondir] : []),
  ];
}

function hiddenIndex(folder: string, readLinks: ReadFolderLinks): readonly string[] {
  return readLinks(folder) === undefined ? [join(folder, 'index')] : [];
}

const maxSamples = 100;

export function hasHooks(folder: string): boolean {
  const found = lookAt(folder);
  if (found === undefined || found.isFile()) return false;
  // A link can be replaced at any time.
  if (!found.isDirectory()) return true;
  try {
    const entries = entriesIn(folder, maxSamples);
    return entries.length === maxSamples || entries.some(({ name }) => !name.endsWith('.sample'));
  } catch {
    // A folder that can't be listed may hold hooks.
    return true;
  }
}

/** Needs no permission, so it also works on a folder without any. */
const O_PATH = 0o10000000;

/**
 * Moves a file or folder aside; returns true if it did. Holds the parent folder open meanwhile, so that a running
 * command can't redirect the move, and touches nothing outside the folders that commands can write to. Linux only, like
 * the sandbox.
 */
export function moveAside(path: string, grounds: readonly string[]): boolean {
  const folder = dirname(path);
  let descriptor: number | undefined;
  try {
    const onDisk = pathForDisk(folder);
    descriptor = openSync(onDisk, O_PATH | constants.O_DIRECTORY | constants.O_NOFOLLOW);
    const held = `/proc/self/fd/${String(descriptor)}`;
    const isReal = readlinkSync(held, { encoding: 'buffer' }).equals(Buffer.from(onDisk));
    if (!isReal || !grounds.some((ground) => isInside(folder, ground))) return false;
    const { mode } = statSync(held);
    // The command may have removed the owner's permissions.
    if ((mode & 0o300) !== 0o300) chmodSync(held, (mode & 0o7777) | 0o300);
    renameSync(join(held, basename(path)), freeName(join(held, basename(path))));
    return true;
  } catch {
    // The path is gone or was replaced, so git does not find it either.
    return false;
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}
