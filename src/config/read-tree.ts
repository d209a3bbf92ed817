import { parseDuration } from './duration.js';
import type { Field, ListField, MapField, RecordField, ValueOf } from './field.js';
import { nameRules } from './formats.js';
import { quote } from '../lib/source-place.js';
import { type Place, type ReadContext, reportWrongType } from './read-context.js';
import { checkRecord } from './read-record.js';
import { readScalar } from './read-scalar.js';
import { emptyMap, isAbsent, type ListNode, type MapNode, type Path, type TreeNode } from '../lib/tree.js';

/** Reads a tree by a table. Reports invalid values, and uses defaults for missing and invalid ones. */
export function readTree<F extends RecordField>(table: F, root: TreeNode, context: ReadContext): ValueOf<F> {
  const place = { node: root, path: [] };
  const value = readField(table, place, context) ?? readField(table, { ...place, node: emptyMap }, context);
  // Safe: for each kind of field, the reader returns the type that ValueOf declares.
  return value as ValueOf<F>;
}

/** Like `readTree`, for a table with required keys. Returns undefined if one is missing, which is reported. */
export function readNeeded<F extends RecordField>(
  table: F,
  root: TreeNode,
  context: ReadContext,
): ValueOf<F> | undefined {
  return readTree(table, root, context);
}

/** Returns undefined if the value is absent, or invalid and reported. */
function readField(field: Field, place: Place, context: ReadContext): unknown {
  const { node, path } = place;
  if (isAbsent(node)) return undefined;
  switch (field.kind) {
    case 'list':
      if (node.kind === 'list') return readList(field, { node, path }, context);
      if (field.takesOne === true && node.kind === 'scalar') return readOne(field, { node, path }, context);
      break;
    case 'map':
      if (node.kind === 'map') return readMap(field, { node, path }, context);
      break;
    case 'record':
      if (node.kind === 'map') return readRecord(field, { node, path }, context);
      break;
    default:
      return readScalar(field, place, context);
  }
  reportWrongType(field.kind === 'list' ? 'a list' : 'a mapping', place, context);
  return undefined;
}

function readList(field: ListField, { node, path }: Place<ListNode>, context: ReadContext): unknown {
  const values = node.items.map((item, index) =>
    readEntry(field.of, { node: item, path: [...path, index] }, context),
  );
  return values.filter((value) => value !== undefined);
}

function readOne(field: ListField, place: Place, context: ReadContext): unknown {
  const value = readEntry(field.of, place, context);
  return value === undefined ? [] : [value];
}

function readMap(field: MapField, { node, path }: Place<MapNode>, context: ReadContext): unknown {
  const { pattern, remedy } = nameRules[field.names];
  const rule = new RegExp(pattern);
  const values = new Map<string, unknown>();
  for (const { key, start, value } of node.entries) {
    const below = [...path, key];
    if (!rule.test(key)) {
      const message = `${quote(key)} is not a valid ${field.names} name.`;
      context.report({ code: 'config.bad_name', offset: start, path: below, message, remedy });
    }
    const read = readEntry(field.of, { node: value, path: below }, context);
    if (read !== undefined) values.set(key, read);
  }
  return values;
}

// An empty value after a name or a dash is probably a mistake, so unlike an absent key it is reported.
function readEntry(field: Field, place: Place, context: ReadContext): unknown {
  if (!isAbsent(place.node)) return readField(field, place, context);
  if (field.kind === 'record') {
    const { start, end } = place.node;
    return readRecord(field, { node: { ...emptyMap, start, end }, path: place.path }, context);
  }
  reportWrongType('a string', place, context);
  return undefined;
}

function readRecord(field: RecordField, { node, path }: Place<MapNode>, context: ReadContext): unknown {
  checkRecord(field, { node, path }, context);
  const present = new Map(node.entries.map((entry) => [entry.key, entry.value]));
  const values = Object.entries(field.fields).map(([key, child]) => {
    const below = [...path, key];
    const found = present.get(key);
    const value = found && readField(child, { node: found, path: below }, context);
    return [key, value ?? defaultOf(child, below, context)] as const;
  });
  const isComplete = values.every(
    ([key, value]) => value !== undefined || field.fields[key]?.required !== true,
  );
  return isComplete ? Object.fromEntries(values) : undefined;
}

function defaultOf(field: Field, path: Path, context: ReadContext): unknown {
  if (field.default === undefined) return undefined;
  switch (field.kind) {
    case 'duration':
      return parseDuration(field.default);
    case 'map':
      return new Map();
    case 'record':
      return readRecord(field, { node: emptyMap, path }, context);
    default:
      return field.default;
  }
}
