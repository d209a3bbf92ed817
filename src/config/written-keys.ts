import { isAbsent, type MapNode, type TreeNode } from '../lib/tree.js';
import type { Field, RecordField, Risk } from './field.js';
import { substitute } from './substitute.js';

/** A key that the file sets, with its value as written. */
export interface WrittenKey {
  /** The record that contains the key, such as `servers.docs`. Empty for a top-level key. */
  readonly holder: string;
  readonly name: string;
  readonly field: Field;
  readonly risk: Risk;
  readonly values: readonly WrittenValue[];
  /** Whether the value equals the default. */
  readonly isDefault: boolean;
  /** The URL or program that receives the values. */
  readonly target?: string;
}

export interface WrittenValue {
  /** The name in a map. */
  readonly name?: string;
  readonly text: string;
  /** The names in `${…}`. */
  readonly references: readonly string[];
}

interface Holder {
  readonly path: readonly string[];
  readonly target?: string;
}

/** Every key that a file sets, in table order. Unknown keys are ignored. */
export function writtenKeys(table: RecordField, root: TreeNode): readonly WrittenKey[] {
  return root.kind === 'map' ? keysOfRecord(table, root, { path: [] }) : [];
}

function keysOfRecord({ fields }: RecordField, node: MapNode, outer: Holder): readonly WrittenKey[] {
  const present = Object.entries(fields).flatMap(([name, field]) => {
    const entry = node.entries.findLast(({ key }) => key === name);
    return entry === undefined || isAbsent(entry.value) ? [] : [{ name, field, value: entry.value }];
  });
  const own = present.find(({ field }) => isTarget(field));
  const [target] = own === undefined ? [outer.target] : textsOf(own.value);
  const holder: Holder = { path: outer.path, ...(target !== undefined && { target }) };
  return present.flatMap(({ name, field, value }) => keysOf(name, field, value, holder));
}

function isTarget(field: Field): boolean {
  if (field.kind !== 'text') return false;
  return (
    field.format === 'command' ||
    field.format === 'database' ||
    (field.format === 'url' && field.risk === 'sends')
  );
}

function keysOf(name: string, field: Field, value: TreeNode, holder: Holder): readonly WrittenKey[] {
  if (field.risk !== undefined) return [keyOf(name, field, field.risk, value, holder)];
  const below: Holder = { ...holder, path: [...holder.path, name] };
  if (field.kind === 'record') return value.kind === 'map' ? keysOfRecord(field, value, below) : [];
  if (field.kind === 'map' && value.kind === 'map')
    return value.entries.flatMap((entry) => keysOf(entry.key, field.of, entry.value, below));
  if (field.kind === 'list' && value.kind === 'list')
    return value.items.flatMap((item, index) => keysOf(String(index), field.of, item, below));
  return [];
}

function keyOf(name: string, field: Field, risk: Risk, value: TreeNode, holder: Holder): WrittenKey {
  const { path, target } = holder;
  const values = valuesOf(value);
  return {
    holder: path.join('.'),
    name,
    field,
    risk,
    values,
    isDefault: JSON.stringify(defaultTexts(field)) === JSON.stringify(values.map(({ text }) => text)),
    ...(target !== undefined && { target }),
  };
}

function valuesOf(node: TreeNode): readonly WrittenValue[] {
  if (node.kind !== 'map') return textsOf(node).map((text) => ({ text, references: referencesIn(text) }));
  return node.entries.flatMap(({ key, value }) =>
    textsOf(value).map((text) => ({ name: key, text, references: referencesIn(text) })),
  );
}

function textsOf(node: TreeNode): readonly string[] {
  if (node.kind === 'scalar') return [typeof node.value === 'string' ? node.value : node.source];
  return node.kind === 'list'
    ? node.items.flatMap(textsOf)
    : node.entries.flatMap(({ value }) => textsOf(value));
}

function referencesIn(text: string): readonly string[] {
  const names = new Set<string>();
  substitute(text, {}, (name) => void names.add(name));
  return [...names];
}

function defaultTexts({ default: usual }: Field): readonly string[] | undefined {
  if (usual === undefined) return undefined;
  if (typeof usual !== 'object') return [String(usual)];
  return Array.isArray(usual) ? usual.map(String) : [];
}
