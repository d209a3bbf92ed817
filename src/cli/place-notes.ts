import { lstatSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findConfig, printable } from '../config/index.js';

/** A number, where the system has such. */
type User = number | undefined;

/**
 * What a person may not expect of the folder where a command was typed: that a file further up is in use, or that
 * tools further up are not.
 */
export function placeNotes(cwd: string, user = process.getuid?.()): readonly string[] {
  const file = findConfig(cwd);
  const folder = file === undefined ? cwd : dirname(file);
  const above = file !== undefined && folder !== cwd;
  const tools = above ? toolsBetween(cwd, folder, user) : toolsAbove(cwd, user);
  return [
    ...(above ? [`the configuration in use is ${printable(file)}, of a folder above this one`] : []),
    ...(tools === undefined ? [] : [unusedTools(tools, file)]),
  ];
}

function unusedTools(tools: string, file: string | undefined): string {
  const why =
    file === undefined
      ? `type commands in ${dirname(dirname(tools))}, or write a tidegate.yaml there`
      : `only those beside ${file} are`;
  return printable(`the tools in ${tools} are not used here: ${why}`);
}

/** The tools of this folder or one above it, as long as that lies below `end`. */
function toolsBetween(start: string, end: string, user: User): string | undefined {
  for (let folder = start; folder !== end && folder !== dirname(folder); folder = dirname(folder)) {
    if (hasTools(folder, user)) return toolsOf(folder);
  }
  return undefined;
}

/** The tools of a folder above, up to the end of the repository; none where this folder has its own. */
function toolsAbove(start: string, user: User): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    if (hasTools(folder, user)) return folder === start ? undefined : toolsOf(folder);
    if (isThere(join(folder, '.git')) || folder === dirname(folder)) return undefined;
  }
}

function toolsOf(folder: string): string {
  return join(folder, '.tidegate', 'tools');
}

/** Only what is this user's own: others could put folders above a shared one. */
function hasTools(folder: string, user: User): boolean {
  try {
    const stats = statSync(toolsOf(folder), { throwIfNoEntry: false });
    return stats?.isDirectory() === true && (user === undefined || stats.uid === user);
  } catch {
    // What we may not look into is not ours.
    return false;
  }
}

function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
