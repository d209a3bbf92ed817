import { lstatSync, statSync } from 'node:fs';
import type { ClientFile, ClientPlace } from '../../clients/index.js';
import { ImportRefused } from './refused.js';

/** Who owns what, by numbers of users. Undefined: the system does not say, or there is no such file. */
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
    // A link to itself, or a folder that we may not enter: whoever reads it next says so.
    return [];
  }
}

const root = 0;

/**
 * A file of a project counts if it is ours, the system's, or of whoever owns the folder that we work in: in a container
 * that is often somebody else than us. Anybody may put a file into `/tmp`, above the folders that others work in there.
 */
export function assertOurs({ path, scope }: ClientFile, { folders }: ClientPlace, owners: Owners): void {
  const self = owners.self();
  if (scope !== 'project' || self === undefined) return;
  const host = folders[0] === undefined ? [] : owners.of(folders[0]);
  const trusted = new Set([self, root, ...host]);
  if (owners.of(path).every((owner) => trusted.has(owner))) return;
  throw new ImportRefused('import.foreign_file', `${path} belongs to another user.`, `ls -l ${path}`);
}
