import { lstatSync, statSync } from 'node:fs';
import { shellWord } from '../../lib/shell-word.js';
import type { ClientFile, ClientPlace } from '../../clients/index.js';
import { ImportRefused } from './refused.js';

/** File ownership by user id. Undefined or empty if unknown. */
export interface Owners {
  self(): number | undefined;
  of(path: string): readonly number[];
}

export const systemOwners: Owners = {
  self: () => process.geteuid?.(),
  of: (path) => [lstatSync, statSync].flatMap((look) => ownerBy(look, path)),
};

function ownerBy(look: typeof lstatSync, path: string): readonly number[] {
  try {
    const stats = look(path, { throwIfNoEntry: false });
    return stats === undefined ? [] : [stats.uid];
  } catch {
    // A link loop or an inaccessible folder; reading the file reports it.
    return [];
  }
}

const root = 0;

/**
 * A project file is accepted if its owner is this user, root, or the owner of the working folder (often another user in
 * containers). Without this check, anyone could plant a file in `/tmp` above other users' folders.
 */
export function assertOurs({ path, scope }: ClientFile, { folders }: ClientPlace, owners: Owners): void {
  const self = owners.self();
  if (scope !== 'project' || self === undefined) return;
  const host = folders[0] === undefined ? [] : owners.of(folders[0]);
  const trusted = new Set([self, root, ...host]);
  if (owners.of(path).every((owner) => trusted.has(owner))) return;
  throw new ImportRefused(
    'import.foreign_file',
    `${path} belongs to another user.`,
    `ls -l ${shellWord(path)}`,
  );
}
