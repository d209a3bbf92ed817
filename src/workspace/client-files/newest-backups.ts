import type { ClientPlace } from '../../clients/index.js';
import type { Backup, Backups } from './backups.js';
import { clientsNamed } from './gather.js';

export interface BackupChoice {
  /** Names of clients; none means all. */
  readonly names: readonly string[];
  readonly place: ClientPlace;
}

/** Only files of the user or of this project, never those of another project. */
export function newestOf(backups: Backups, { names, place }: BackupChoice): readonly Backup[] {
  const chosen = clientsNamed(names) ?? [];
  const files = new Set(chosen.flatMap((client) => client.files(place).map(({ path }) => path)));
  const seen = new Set<string>();
  return backups.list().filter(({ file, via }) => {
    if (!files.has(via) || seen.has(file)) return false;
    seen.add(file);
    return true;
  });
}
