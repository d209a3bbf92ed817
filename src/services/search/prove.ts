import { findCalm } from './calm.js';
import { confirm } from './confirm.js';
import type { Group } from './first-groups.js';
import { folderOf } from './inside.js';
import type { TextJob } from './run-text.js';
import type { Item } from './text-items.js';

export interface Proven {
  readonly groups: readonly Group<Item>[];
  /** Files that cannot be checked, because their paths are too long. */
  readonly tooLong: readonly Buffer[];
}

/**
 * Keeps only results that are true of files inside. ripgrep opens files by name while it walks, so a link
 * created at the right moment leads it outside. Where anything changed, searches again in files that we
 * opened and checked.
 */
export async function prove(job: TextJob, groups: readonly Group<Item>[]): Promise<Proven> {
  const folders = new Map(groups.map((group) => [group, folderOf(group.path)]));
  const calm = findCalm(job.place, new Set(folders.values()), job.began);
  const isCalm = (group: Group<Item>) => calm.has(folders.get(group) ?? '');
  const doubtful = groups.filter((group) => !isCalm(group));
  if (doubtful.length === 0) return { groups, tooLong: [] };
  const confirmed = await confirm(job, doubtful);
  const proven = groups.flatMap((group) => {
    if (isCalm(group)) return [group];
    const items = confirmed.items.get(group.path.toString('latin1'));
    return items === undefined ? [] : [{ path: group.path, items }];
  });
  return { groups: proven, tooLong: confirmed.tooLong };
}
