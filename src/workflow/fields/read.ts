import { isAbsent, kindOf, type MapNode, type Path, type TreeNode } from '../../lib/tree.js';
import { nearest } from '../../lib/nearest.js';
import { quote } from '../../lib/source-place.js';
import type { WorkflowCode } from '../codes.js';
import type { Report, Source } from '../finding.js';
import { readDuration, readSize } from './amounts.js';
import type { Field, Fields, Holds, ValuesOf } from './field.js';

/** A string of the file that needs more checks, with its position. */
export interface NotedText {
  readonly holds: Holds;
  readonly text: string;
  readonly source: Source;
  readonly offset: number;
  readonly path: Path;
}

export interface Reading {
  readonly source: Source;
  readonly report: Report;
  readonly note: (text: NotedText) => void;
  /** Nodes that come from another file, such as a template. */
  readonly origins: WeakMap<object, Source>;
  /** If set, unknown keys are errors with this code. */
  readonly strictCode?: WorkflowCode;
}

/** Reads a mapping according to its table. Invalid values are reported and left out. */
export function readFields<F extends Fields>(
  map: MapNode,
  fields: F,
  path: Path,
  reading: Reading,
): ValuesOf<F> {
  // Each value is read by its own field.
  return readEntries(map, fields, path, reading) as ValuesOf<F>;
}

/** Untyped version of `readFields`. `isKnown`: keys that other code reads. */
export function readEntries(
  map: MapNode,
  fields: Fields,
  path: Path,
  reading: Reading,
  isKnown: (key: string) => boolean = () => false,
): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const { key, start, value } of map.entries) {
    const inside = within(reading, value);
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (field === undefined) {
      if (!isKnown(key)) unknownKey(key, fields, [...path, key], start, inside);
    } else if (!isAbsent(value)) {
      const read = readValue(value, field, [...path, key], inside);
      if (read !== undefined) values[key] = read;
    }
  }
  for (const [key, field] of Object.entries(fields)) {
    const isThere = map.entries.some((entry) => entry.key === key && !isAbsent(entry.value));
    if (field.needed === true && !isThere) missing(key, path, map.start, reading);
  }
  return values;
}

export function missing(key: string, path: Path, offset: number, { report, source }: Reading): void {
  report({
    code: 'WORKFLOW.PARSE.MISSING_FIELD',
    message: `${quote(key)} is missing.`,
    source,
    offset,
    path,
    remedy: `Add ${key}.`,
  });
}

/** The reading of a node that may come from another file. */
export function within(reading: Reading, node: TreeNode): Reading {
  const source = reading.origins.get(node);
  return source === undefined ? reading : { ...reading, source };
}

function unknownKey(key: string, fields: Fields, path: Path, offset: number, reading: Reading): void {
  const near = nearest(key, Object.keys(fields));
  reading.report({
    code: reading.strictCode ?? 'WORKFLOW.PARSE.UNKNOWN_FIELD',
    message: `Unknown key ${quote(key)}.`,
    source: reading.source,
    offset,
    path,
    ...(near !== undefined && { remedy: `Did you mean ${near}?` }),
  });
}

function wrong(node: TreeNode, wanted: string, path: Path, { report, source }: Reading): undefined {
  report({
    code: 'WORKFLOW.PARSE.INVALID_VALUE',
    message: `Expected ${wanted}, found ${kindOf(node)}.`,
    source,
    offset: node.start,
    path,
  });
}

/** Returns undefined if the value does not fit the field. */
function readValue(node: TreeNode, field: Field, path: Path, reading: Reading): unknown {
  switch (field.kind) {
    case 'text':
      return readText(node, field, path, reading);
    case 'flag':
      return readFlag(node) ?? wrong(node, 'true or false', path, reading);
    case 'integer':
    case 'number':
      return readNumber(node, field, path, reading);
    case 'duration':
      return readAmount(node, readDuration, 'a duration such as 30, 500ms or 2m', path, reading);
    case 'size':
      return readAmount(node, readSize, 'a size such as 10MB', path, reading);
    case 'any':
      return readAny(node, field.holds, path, reading);
    case 'list':
      if (node.kind !== 'list') return wrong(node, 'a list', path, reading);
      return node.items
        .map((item, at) => readValue(item, field.of, [...path, at], within(reading, item)))
        .filter((value) => value !== undefined);
    case 'map':
      if (node.kind !== 'map') return wrong(node, 'a mapping', path, reading);
      return readEntries(node, field.of, path, withStrictness(reading, field.isStrict));
    case 'record':
      if (node.kind !== 'map') return wrong(node, 'a mapping', path, reading);
      return readRecord(node, field.of, path, reading);
    case 'either':
      return readValue(node, fits(node, field.first) ? field.first : field.second, path, reading);
  }
}

function withStrictness(reading: Reading, isStrict: true | undefined): Reading {
  return isStrict === true ? { ...reading, strictCode: 'USER.MCP_PROXY.UNKNOWN_KEY' } : reading;
}

function readRecord(
  node: MapNode,
  of: Field,
  path: Path,
  reading: Reading,
): Readonly<Record<string, unknown>> {
  const entries = node.entries.map(({ key, value }) => {
    const inside = within(reading, value);
    return [key, isAbsent(value) ? null : readValue(value, of, [...path, key], inside)] as const;
  });
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

/** Whether the node has the kind the field takes. Its content may still be invalid. */
function fits(node: TreeNode, field: Field): boolean {
  if (field.kind === 'list') return node.kind === 'list';
  if (field.kind === 'map' || field.kind === 'record') return node.kind === 'map';
  if (field.kind === 'integer') return node.kind === 'scalar' && typeof node.value === 'number';
  return node.kind === 'scalar';
}

type TextField = Extract<Field, { readonly kind: 'text' }>;

/** A number or boolean where a string is expected counts as the string that was written. */
function readText(node: TreeNode, field: TextField, path: Path, reading: Reading): string | undefined {
  if (node.kind !== 'scalar') return wrong(node, 'a string', path, reading);
  const text = typeof node.value === 'string' ? node.value : node.source;
  if (field.values !== undefined && !field.values.includes(text))
    return notOneOf(text, field.values, node, path, reading);
  noteText(field.holds, text, node, path, reading);
  return text;
}

function notOneOf(
  text: string,
  values: readonly string[],
  { start }: TreeNode,
  path: Path,
  { report, source }: Reading,
): undefined {
  const near = nearest(text, values);
  report({
    code: 'WORKFLOW.PARSE.INVALID_VALUE',
    message: `${quote(text)} is not valid. Allowed: ${values.filter((value) => value !== '').join(', ')}.`,
    source,
    offset: start,
    path,
    ...(near !== undefined && near !== '' && { remedy: `Did you mean ${near}?` }),
  });
}

function noteText(
  holds: Holds | undefined,
  text: string,
  { start }: TreeNode,
  path: Path,
  { source, note }: Reading,
): void {
  if (holds !== undefined) note({ holds, text, source, offset: start, path });
}

const yes = ['true', 'yes', 'on'];
const no = ['false', 'no', 'off'];

function readFlag(node: TreeNode): boolean | undefined {
  if (node.kind !== 'scalar') return undefined;
  if (typeof node.value === 'boolean') return node.value;
  // The YAML 1.1 words for true and false, where only a boolean is possible.
  const word = node.source.toLowerCase();
  return yes.includes(word) ? true : no.includes(word) ? false : undefined;
}

type NumberField = Extract<Field, { readonly kind: 'number' | 'integer' }>;

function readNumber(node: TreeNode, field: NumberField, path: Path, reading: Reading): number | undefined {
  const { kind, least = Number.NEGATIVE_INFINITY, most = Number.POSITIVE_INFINITY } = field;
  const value = node.kind === 'scalar' ? node.value : undefined;
  const isRight = typeof value === 'number' && (kind === 'number' || Number.isSafeInteger(value));
  if (!isRight) return wrong(node, kind === 'integer' ? 'a whole number' : 'a number', path, reading);
  if (value >= least && value <= most) return value;
  const range = [
    ...(Number.isFinite(least) ? [`at least ${least}`] : []),
    ...(Number.isFinite(most) ? [`at most ${most}`] : []),
  ].join(' and ');
  reading.report({
    code: 'WORKFLOW.PARSE.INVALID_VALUE',
    message: `${value} is out of range: it must be ${range}.`,
    source: reading.source,
    offset: node.start,
    path,
  });
  return undefined;
}

function readAmount(
  node: TreeNode,
  read: (value: unknown) => number | undefined,
  wanted: string,
  path: Path,
  reading: Reading,
): number | undefined {
  const amount = node.kind === 'scalar' ? read(node.value) : undefined;
  if (amount !== undefined) return amount;
  const shown = node.kind === 'scalar' ? quote(node.source) : kindOf(node);
  reading.report({
    code: 'WORKFLOW.PARSE.INVALID_VALUE',
    message: `${shown} is not ${wanted}.`,
    source: reading.source,
    offset: node.start,
    path,
  });
  return undefined;
}

/** Plain data; its strings are collected for later checks. */
function readAny(node: TreeNode, holds: Holds | undefined, path: Path, reading: Reading): unknown {
  if (node.kind === 'list') {
    return node.items.map((item, at) => readAny(item, holds, [...path, at], within(reading, item)));
  }
  if (node.kind === 'map') {
    const entries = node.entries.map(
      ({ key, value }) => [key, readAny(value, holds, [...path, key], within(reading, value))] as const,
    );
    return Object.fromEntries(entries);
  }
  if (typeof node.value === 'string') noteText(holds, node.value, node, path, reading);
  return node.value;
}
