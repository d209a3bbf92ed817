/** What was found in one file. */
export interface Group<Item> {
  readonly path: Buffer;
  readonly items: readonly Item[];
}

/**
 * Keeps the groups with the smallest paths until they hold as many items as wanted. ripgrep tells of files as its
 * threads come to them; so the same search gives the same answer, and memory does not grow with what is found.
 */
export interface FirstGroups<Item> {
  /** False when a group of this path would be dropped at once. */
  wants(path: Buffer): boolean;
  add(group: Group<Item>): void;
  readonly isFull: boolean;
  readonly groups: readonly Group<Item>[];
}

export function createFirstGroups<Item>(wanted: number): FirstGroups<Item> {
  const groups: Group<Item>[] = [];
  let held = 0;
  return {
    wants: (path) => {
      const last = groups.at(-1);
      return held < wanted || last === undefined || path.compare(last.path) < 0;
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
