import type { MapEntry, ScalarNode, ScalarValue, TreeNode } from '../lib/tree.js';

/** The positions and kinds of the nodes of a tree, as numbers. Contains none of the text. */
export type TreeShape = readonly number[];

const kinds = { map: 0, list: 1, text: 2, number: 3, true: 4, false: 5, null: 6 } as const;

/** Internal: a value differs from its text, for example because of an escape or an alias. */
class NoShape extends Error {}

/** Returns undefined for a tree that cannot be rebuilt from its text without parsing YAML. */
export function shapeOf(root: TreeNode, text: string): TreeShape | undefined {
  const shape: number[] = [];
  try {
    addNode(root, text, shape);
    return shape;
  } catch (error) {
    if (error instanceof NoShape) return undefined;
    throw error;
  }
}

function addNode(node: TreeNode, text: string, shape: number[]): void {
  const { start, end } = node;
  if (node.kind === 'scalar') {
    shape.push(kindOfScalar(node), start, end, placeOf(node.source, start, text), node.source.length);
  } else if (node.kind === 'list') {
    shape.push(kinds.list, start, end, node.items.length);
    for (const item of node.items) addNode(item, text, shape);
  } else {
    shape.push(kinds.map, start, end, node.entries.length);
    for (const { key, start: keyStart, value } of node.entries) {
      shape.push(keyStart, placeOf(key, keyStart, text), key.length);
      addNode(value, text, shape);
    }
  }
}

function kindOfScalar({ value, source }: ScalarNode): number {
  if (value === null) return kinds.null;
  if (value === true) return kinds.true;
  if (value === false) return kinds.false;
  if (typeof value === 'string' && value === source) return kinds.text;
  if (typeof value === 'number' && Object.is(Number(source), value)) return kinds.number;
  throw new NoShape();
}

/** The position of a word: its start, or after its opening quote. */
function placeOf(word: string, start: number, text: string): number {
  if (text.startsWith(word, start)) return start;
  if (text.startsWith(word, start + 1)) return start + 1;
  throw new NoShape();
}

/** Rebuilds the tree. Returns undefined if the shape is invalid. */
export function treeOf(shape: TreeShape, text: string): TreeNode | undefined {
  let at = 0;
  const next = (): number => {
    const value = shape[at];
    at += 1;
    if (value === undefined || value < 0) throw new NoShape();
    return value;
  };
  const word = (): string => {
    const from = next();
    return text.slice(from, from + next());
  };
  const node = (): TreeNode => {
    const [kind, start, end] = [next(), next(), next()];
    if (kind === kinds.list) {
      return { kind: 'list', items: Array.from({ length: next() }, node), start, end };
    }
    if (kind === kinds.map)
      return { kind: 'map', entries: Array.from({ length: next() }, entry), start, end };
    const source = word();
    return { kind: 'scalar', value: valueOf(kind, source), source, start, end };
  };
  const entry = (): MapEntry => ({ start: next(), key: word(), value: node() });
  try {
    const root = node();
    return at === shape.length ? root : undefined;
  } catch (error) {
    // Damaged: too short, or too long to allocate.
    if (error instanceof NoShape || error instanceof RangeError) return undefined;
    throw error;
  }
}

function valueOf(kind: number, source: string): ScalarValue {
  if (kind === kinds.text) return source;
  if (kind === kinds.number) return Number(source);
  if (kind === kinds.null) return null;
  if (kind === kinds.true || kind === kinds.false) return kind === kinds.true;
  throw new NoShape();
}
