import type { Group } from './first-groups.js';

/** A group with some requested items. */
export interface Shown<Item> {
  readonly group: Group<Item>;
  readonly from: number;
  readonly to: number;
}

/** The groups with the items from `offset` on, at most `limit`. */
export function cutWindow<Item>(
  groups: readonly Group<Item>[],
  offset: number,
  limit: number,
): readonly Shown<Item>[] {
  const shown: Shown<Item>[] = [];
  let start = 0;
  for (const group of groups) {
    const { length } = group.items;
    const from = Math.max(0, offset - start);
    const to = Math.min(length, offset + limit - start);
    if (from < to) shown.push({ group, from, to });
    start += length;
  }
  return shown;
}
