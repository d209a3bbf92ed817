/** The results from one file. */
export interface Group<Item> {
  readonly path: Buffer;
  readonly items: readonly Item[];
}

/**
 * Keeps the groups with the smallest paths until they hold enough items. ripgrep's threads report files in
 * any order; this way the same search gives the same answer, and memory does not grow with the results.
 */
export interface FirstGroups<Item> {
  /** False if a group with this path (a slice of the bytes) would be dropped at once. */
  wants(bytes: Buffer, from?: number, to?: number): boolean;
  add(group: Group<Item>): void;
  readonly isFull: boolean;
  readonly groups: readonly Group<Item>[];
}

export function createFirstGroups<Item>(wanted: number): FirstGroups<Item> {
  const groups: Group<Item>[] = [];
  let held = 0;
  return {
    wants: (bytes, from = 0, to = bytes.length) => {
      const last = groups.at(-1)?.path;
      return held < wanted || last === undefined || bytes.compare(last, 0, last.length, from, to) < 0;
    },
    add: (group) => {
      groups.splice(placeOf(groups, group.path), 0, group);
      held += group.items.length;
      for (let last = groups.at(-1); last && held - last.items.length >= wanted; last = groups.at(-1)) {
        groups.pop();
        held -= last.items.length;
      }
    },
    get isFull() {
      return held >= wanted;
    },
    groups,
  };
}

function placeOf(groups: readonly Group<unknown>[], path: Buffer): number {
  let low = 0;
  let high = groups.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const other = groups[middle];
    if (other !== undefined && other.path.compare(path) < 0) low = middle + 1;
    else high = middle;
  }
  return low;
}
