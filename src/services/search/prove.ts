import { confirm } from './confirm.js';
import { isProven } from './evidence.js';
import type { Group } from './first-groups.js';
import { openInside } from './inside.js';
import type { TextJob } from './run-text.js';
import type { Item } from './text-items.js';

/** Files looked at before others get their turn. */
const slice = 64;

/**
 * Leaves of what ripgrep told only what is true of files inside. It opens files by their names as it walks, so a link
 * put in its way at the right moment leads it out; what it then told is compared with the file that we open and check.
 */
export async function prove(job: TextJob, groups: readonly Group<Item>[]): Promise<readonly Group<Item>[]> {
  const proven = new Set<Group<Item>>();
  const doubtful: Group<Item>[] = [];
  for (const [at, group] of groups.entries()) {
    if (at % slice === slice - 1) await new Promise(setImmediate);
    const verdict = judge(job, group);
    if (verdict === 'proven') proven.add(group);
    else if (verdict === 'doubtful') doubtful.push(group);
  }
  const confirmed = doubtful.length === 0 ? undefined : await confirm(job, doubtful);
  return groups.flatMap((group) => {
    if (proven.has(group)) return [group];
    const items = confirmed?.get(group.path.toString('latin1'));
    return items === undefined ? [] : [{ path: group.path, items }];
  });
}

function judge({ context, place }: TextJob, group: Group<Item>): 'proven' | 'doubtful' | 'gone' {
  const file = openInside({ roots: context.roots, place }, group.path);
  if (file === undefined) return 'gone';
  try {
    return group.items.every((item) => isProven(file, item)) ? 'proven' : 'doubtful';
  } finally {
    file.close();
  }
}
