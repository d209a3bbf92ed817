import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Of } from '../lib/sha256.js';
import { namesIn } from '../lib/list-folder.js';
import { readPrivateFile, replacePrivateFile } from './private-file.js';

// Copies of trusted configuration files, named by SHA-256. They stay in effect after a file changes or is deleted.

const largest = 512 * 1024;

export function writeTrusted(stateDirectory: string, sha256: string, content: string): void {
  const folder = folderOf(stateDirectory);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  replacePrivateFile(join(folder, sha256), content, () => true);
}

/** Returns undefined if there is no copy, or the copy was modified. */
export function readTrusted(stateDirectory: string, sha256: string): string | undefined {
  const read = readPrivateFile(join(folderOf(stateDirectory), sha256), { largest, forbidden: 0o022 });
  if (read.state !== 'sound') return undefined;
  return sha256Of(read.text) === sha256 ? read.text : undefined;
}

/** Deletes copies that no record refers to. */
export function sweepTrusted(stateDirectory: string, used: ReadonlySet<string>): void {
  for (const name of namesIn(folderOf(stateDirectory))) {
    if (!used.has(name)) rmSync(join(folderOf(stateDirectory), name), { force: true });
  }
}

function folderOf(stateDirectory: string): string {
  return join(stateDirectory, 'trusted');
}
