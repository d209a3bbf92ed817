/** A path in a tree: keys and list positions from the root. */
export type Path = readonly (string | number)[];

// A parsed file, independent of the parser library: values with positions, aliases already resolved.
export type TreeNode = ScalarNode | ListNode | MapNode;

export type ScalarValue = string | number | boolean | null;

interface Span {
  readonly start: number;
  readonly end: number;
}

export interface ScalarNode extends Span {
  readonly kind: 'scalar';
  readonly value: ScalarValue;
  /** The source text: `1.10` stays `1.10`. */
  readonly source: string;
}

export interface ListNode extends Span {
  readonly kind: 'list';
  readonly items: readonly TreeNode[];
}

export interface MapNode extends Span {
  readonly kind: 'map';
  readonly entries: readonly MapEntry[];
}

export interface MapEntry {
  readonly key: string;
  readonly start: number;
  readonly value: TreeNode;
}

export const emptyMap: MapNode = Object.freeze({ kind: 'map', entries: [], start: 0, end: 0 });

/** An empty value (`key:` with nothing after it) counts as absent. */
export function isAbsent(node: TreeNode): boolean {
  return node.kind === 'scalar' && node.value === null;
}

/** The entry at a path of keys, if it exists. */
export function findEntry(root: TreeNode, path: Path): MapEntry | undefined {
  let node: TreeNode | undefined = root;
  let entry: MapEntry | undefined;
  for (const step of path) {
    if (node?.kind !== 'map') return undefined;
    entry = node.entries.find((candidate) => candidate.key === step);
    node = entry?.value;
  }
  return entry;
}

/** The position of the value at a path; undefined if it does not exist. */
export function exactOffset(root: TreeNode, path: Path): number | undefined {
  let place: { readonly offset: number; readonly node: TreeNode } | undefined = {
    offset: root.start,
    node: root,
  };
  for (const step of path) place = place && stepInto(place.node, step);
  return place?.offset;
}

/** The position of the value at a path, or of its nearest existing parent. */
export function offsetAt(root: TreeNode, path: Path): number {
  let place: { readonly offset: number; readonly node: TreeNode } = { offset: root.start, node: root };
  for (const step of path) {
    const next = stepInto(place.node, step);
    if (next === undefined) break;
    place = next;
  }
  return place.offset;
}

function stepInto(
  node: TreeNode,
  step: string | number,
): { readonly offset: number; readonly node: TreeNode } | undefined {
  if (node.kind === 'map') {
    const entry = node.entries.find(({ key }) => key === step);
    return entry && { offset: entry.start, node: entry.value };
  }
  const item = node.kind === 'list' && typeof step === 'number' ? node.items[step] : undefined;
  return item && { offset: item.start, node: item };
}

/** The node's kind for messages. */
export function kindOf(node: TreeNode): string {
  if (node.kind === 'list') return 'a list';
  if (node.kind === 'map') return 'a mapping';
  if (node.value === null) return 'empty';
  return node.value === true || node.value === false ? 'true or false' : `a ${typeof node.value}`;
}
