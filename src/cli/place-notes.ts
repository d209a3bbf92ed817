import { lstatSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findConfig, printable } from '../config/index.js';

/** The user ID, on systems that have one. */
type User = number | undefined;

/** Surprising facts about the current folder: a configuration from a folder above is used, or tools above are not. */
export function placeNotes(cwd: string, user = process.getuid?.()): readonly string[] {
  const file = findConfig(cwd);
  const folder = file === undefined ? cwd : dirname(file);
  const above = file !== undefined && folder !== cwd;
  const tools = above ? toolsBetween(cwd, folder, user) : toolsAbove(cwd, user);
  return [
    ...(above ? [`using the configuration of a parent folder: ${printable(file)}`] : []),
    ...(tools === undefined ? [] : [unusedTools(tools, file)]),
  ];
}

function unusedTools(tools: string, file: string | undefined): string {
  const why =
    file === undefined
      ? `run commands in ${dirname(dirname(tools))}, or create a tidegate.yaml there`
      : `only the tools next to ${file} are`;
  return printable(`the tools in ${tools} are not used here: ${why}`);
}

/** The tools of this folder or the nearest one above it, up to but not including `end`. */
function toolsBetween(start: string, end: string, user: User): string | undefined {
  for (let folder = start; folder !== end && folder !== dirname(folder); folder = dirname(folder)) {
    if (hasTools(folder, user)) return toolsOf(folder);
  }
  return undefined;
}

/** The tools of a folder above, up to the root of the repository; undefined if this folder has tools. */
function toolsAbove(start: string, user: User): string | undefined {
  for (let folder = start; ; folder = dirname(folder)) {
    if (hasTools(folder, user)) return folder === start ? undefined : toolsOf(folder);
    if (isThere(join(folder, '.git')) || folder === dirname(folder)) return undefined;
  }
}

function toolsOf(folder: string): string {
  return join(folder, '.tidegate', 'tools');
}

/** Ignores folders of other users, who could place them above a shared folder. */
function hasTools(folder: string, user: User): boolean {
  try {
    const stats = statSync(toolsOf(folder), { throwIfNoEntry: false });
    return stats?.isDirectory() === true && (user === undefined || stats.uid === user);
  } catch {
    // An unreadable folder belongs to someone else.
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
