import { quote } from '../source-place.js';
import { emptyMap, isAbsent, type ListNode, type MapNode, type ScalarNode, type TreeNode } from '../tree.js';
import { checkRecord } from './check-record.js';
import { checkScalar, wantedBy } from './check-scalar.js';
import { type Place, type ReadContext, reportWrongType, type Scalar } from './context.js';
import { durationNotations } from './duration.js';
import type { AnyField, Field, ListField, MapField, RecordField, ScalarField, ValueOf } from './field.js';

/** Reads a file by a table. Reports every problem; missing and invalid values get their defaults. */
export function readTable<F extends RecordField, C extends string>(
  table: F,
  root: TreeNode,
  context: ReadContext<C>,
): ValueOf<F> | undefined {
  const place = { node: root, path: [] };
  const value = readField(table, place, context) ?? readField(table, { ...place, node: emptyMap }, context);
  // Safe: for each kind of field, the reader returns the type that ValueOf declares.
  return value as ValueOf<F> | undefined;
}

/** Reads one mapping of a file. Invalid values are reported and left out. `isKnown`: keys that other code reads. */
export function readPart<C extends string>(
  table: RecordField,
  place: Place<MapNode>,
  context: ReadContext<C>,
  isKnown: (key: string) => boolean = () => false,
): Readonly<Record<string, unknown>> {
  checkRecord(table, place, context, isKnown);
  return Object.fromEntries(readValues(table, place, context));
}

/** Returns undefined if the value is absent, or invalid and reported. */
function readField<C extends string>(field: Field, place: Place, context: ReadContext<C>): unknown {
  return isAbsent(place.node) ? undefined : readValue(field, place, context);
}

function readValue<C extends string>(field: Field, { node, path }: Place, outer: ReadContext<C>): unknown {
  const context = outer.inside?.(node) ?? outer;
  switch (field.kind) {
    case 'list':
      if (node.kind === 'list') return readList(field, { node, path }, context);
      if (field.takesOne === true && node.kind === 'scalar') return readOne(field, { node, path }, context);
      return reportWrongType('a list', { node, path }, context);
    case 'map':
      if (node.kind === 'map') return readMap(field, { node, path }, context);
      return reportWrongType('a mapping', { node, path }, context);
    case 'record':
      if (node.kind === 'map') return readRecord(field, { node, path }, context);
      return reportWrongType('a mapping', { node, path }, context);
    case 'either':
      return readValue(fits(node, field.first) ? field.first : field.second, { node, path }, context);
    case 'any':
      return readAny(field, { node, path }, context);
    default:
      if (node.kind === 'scalar') return readScalar(field, { node, path }, context);
      return reportWrongType(wantedBy(field), { node, path }, context);
  }
}

/** Whether the node has the kind that the field takes. Its content may still be invalid. */
function fits(node: TreeNode, field: Field): boolean {
  if (field.kind === 'list') return node.kind === 'list';
  if (field.kind === 'map' || field.kind === 'record') return node.kind === 'map';
  if (field.kind === 'integer') return node.kind === 'scalar' && typeof node.value === 'number';
  return node.kind === 'scalar';
}

function readList<C extends string>(
  field: ListField,
  { node, path }: Place<ListNode>,
  context: ReadContext<C>,
): unknown {
  const values = node.items.map((item, index) => {
    const place = { node: item, path: [...path, index] };
    return context.language.emptyEntries === 'keep'
      ? readValue(field.of, place, context)
      : readEntry(field.of, place, context);
  });
  return values.filter((value) => value !== undefined);
}

function readOne<C extends string>(field: ListField, place: Place, context: ReadContext<C>): unknown {
  const value = readEntry(field.of, place, context);
  return value === undefined ? [] : [value];
}

function readMap<C extends string>(
  field: MapField,
  { node, path }: Place<MapNode>,
  context: ReadContext<C>,
): unknown {
  const values = new Map<string, unknown>();
  for (const { key, start, value } of node.entries) {
    const place = { node: value, path: [...path, key] };
    checkName(field, key, { ...place, offset: start }, context);
    const isKept = isAbsent(value) && context.language.emptyEntries === 'keep';
    const read = isKept ? null : readEntry(field.of, place, context);
    if (read !== undefined) values.set(key, read);
  }
  return field.isPlain === true ? Object.fromEntries(values) : values;
}

function checkName<C extends string>(
  { names }: MapField,
  key: string,
  { offset, path }: Place & { readonly offset: number },
  { language: { codes, nameRules }, report }: ReadContext<C>,
): void {
  const rule = names === undefined ? undefined : nameRules[names];
  if (rule === undefined || new RegExp(rule.pattern).test(key)) return;
  const message = `${quote(key)} is not a valid ${names} name.`;
  report({ code: codes.badName, offset, path, message, remedy: rule.remedy });
}

// An empty value after a name or a dash is probably a mistake, so unlike an absent key it is reported.
function readEntry<C extends string>(field: Field, place: Place, context: ReadContext<C>): unknown {
  if (!isAbsent(place.node)) return readField(field, place, context);
  if (field.kind !== 'record') return reportWrongType('a string', place, context);
  const { start, end } = place.node;
  return readRecord(field, { node: { ...emptyMap, start, end }, path: place.path }, context);
}

function readRecord<C extends string>(
  field: RecordField,
  place: Place<MapNode>,
  context: ReadContext<C>,
): unknown {
  checkRecord(field, place, context, () => false);
  const read = readValues(field, place, context);
  if (context.language.reading === 'partial') return Object.fromEntries(read);
  const values = Object.entries(field.fields).map(
    ([key, child]) => [key, read.get(key) ?? defaultOf(child, [...place.path, key], context)] as const,
  );
  const isComplete = values.every(
    ([key, value]) => value !== undefined || field.fields[key]?.required !== true,
  );
  return isComplete ? Object.fromEntries(values) : undefined;
}

/** The values of the known keys, in file order. */
function readValues<C extends string>(
  { fields }: RecordField,
  { node, path }: Place<MapNode>,
  context: ReadContext<C>,
): ReadonlyMap<string, unknown> {
  const values = new Map<string, unknown>();
  for (const { key, value } of node.entries) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    const read = field && readField(field, { node: value, path: [...path, key] }, context);
    if (read !== undefined) values.set(key, read);
  }
  return values;
}

function defaultOf<C extends string>(field: Field, path: Place['path'], context: ReadContext<C>): unknown {
  if (field.default === undefined) return undefined;
  switch (field.kind) {
    case 'duration':
      return durationNotations[field.notation ?? 'simple'].parse(field.default);
    case 'map':
      return new Map();
    case 'record':
      return readRecord(field, { node: emptyMap, path }, context);
    default:
      return field.default;
  }
}

function readScalar<C extends string>(
  field: ScalarField,
  { node, path }: Place<ScalarNode>,
  context: ReadContext<C>,
): unknown {
  const scalar = context.resolve === undefined ? literal(node) : context.resolve({ node, path });
  if (scalar === undefined) return undefined;
  const verdict = checkScalar(field, scalar, context.language.formats);
  if (verdict === 'wrong') return reportWrongType(wantedBy(field), { node, path }, context);
  if ('flaw' in verdict) {
    const { flaw, ...told } = verdict;
    context.report({ code: context.language.codes[flaw], offset: node.start, path, ...told });
    return undefined;
  }
  if (field.kind !== 'text') return verdict.value;
  note(field.holds, String(verdict.value), { node, path }, context);
  return scalar.kept ?? verdict.value;
}

function literal({ value, source }: ScalarNode): Scalar {
  return { value, source, isReference: false };
}

/** Plain data. Its strings are noted for later checks. */
function readAny<C extends string>(field: AnyField, { node, path }: Place, outer: ReadContext<C>): unknown {
  const context = outer.inside?.(node) ?? outer;
  if (node.kind === 'list')
    return node.items.map((item, at) => readAny(field, { node: item, path: [...path, at] }, context));
  if (node.kind === 'map') {
    const entries = node.entries.map(
      ({ key, value }) => [key, readAny(field, { node: value, path: [...path, key] }, context)] as const,
    );
    return Object.fromEntries(entries);
  }
  if (typeof node.value === 'string') note(field.holds, node.value, { node, path }, context);
  return node.value;
}

function note<C extends string>(
  holds: string | undefined,
  text: string,
  { node, path }: Place,
  context: ReadContext<C>,
): void {
  if (holds !== undefined) context.note?.({ holds, text, offset: node.start, path });
}
