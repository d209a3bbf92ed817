// Imports the YAML library, so load this module only when a file has to be parsed.
import {
  type Alias,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  type Node,
  parseDocument,
  type Pair,
  Scalar,
  type YAMLMap,
} from 'yaml';
import { tooDeepAt } from './nesting.js';
import { quote } from '../lib/source-place.js';
import type { Finding } from './problem.js';
import { markRemedy, starRemedy, syntaxFindings } from './syntax-findings.js';
import {
  emptyMap,
  type ListNode,
  type MapEntry,
  type MapNode,
  type ScalarNode,
  type ScalarValue,
  type TreeNode,
} from '../lib/tree.js';

/** The nesting limit. Deeper files could overflow the stack in the library, or abort the process. */
const DEEPEST = 64;
/** How many values aliases and merges may add, so that the work stays in proportion to the file size. */
const MOST_REPEATED = 50_000;

export interface ParsedText {
  readonly root: TreeNode;
  readonly findings: readonly Finding[];
}

/** Parses YAML, which includes JSON, into a tree with positions. Never throws; after a syntax error the tree is empty. */
export function parseText(text: string): ParsedText {
  const offset = tooDeepAt(text, DEEPEST);
  if (offset !== undefined)
    return refuse({ code: 'config.too_deep', offset, message: 'The file is nested too deeply.' });
  try {
    return parseShallow(text);
  } catch {
    // A crash in the library is reported as a problem of the file.
    return refuse(syntax(0, 'The file cannot be parsed as YAML.'));
  }
}

function parseShallow(text: string): ParsedText {
  const document = parseDocument(text, {
    // Our own check is linear; the library compares every pair of keys.
    uniqueKeys: false,
    stringKeys: true,
    prettyErrors: false,
    resolveKnownTags: false,
    merge: false,
  });
  const findings = syntaxFindings([...document.errors, ...document.warnings], text);
  if (findings.length > 0) return { root: emptyMap, findings };
  return document.contents === null ? { root: emptyMap, findings: [] } : convert(document.contents);
}

function refuse(finding: Finding): ParsedText {
  return { root: emptyMap, findings: [finding] };
}

function syntax(offset: number, message: string): Finding {
  return { code: 'config.syntax', offset, message };
}

interface Sized {
  readonly node: TreeNode;
  /** How many values it contains, including values repeated by aliases. */
  readonly size: number;
}

interface Conversion {
  readonly findings: Finding[];
  /** By anchor. Undefined while the anchored value is being read, so that it cannot contain itself. */
  readonly anchors: Map<string, Sized | undefined>;
  repeated: number;
}

function convert(contents: Node): ParsedText {
  const conversion: Conversion = { findings: [], anchors: new Map(), repeated: 0 };
  const { node } = convertNode(contents, conversion, 0);
  if (conversion.repeated <= MOST_REPEATED) return { root: node, findings: conversion.findings };
  return refuse({ code: 'config.too_large', message: 'The aliases in the file expand to too many values.' });
}

function convertNode(node: unknown, conversion: Conversion, at: number): Sized {
  if (isAlias(node)) return resolveAlias(node, conversion);
  const anchor = isScalar(node) || isMap(node) || isSeq(node) ? node.anchor : undefined;
  if (anchor !== undefined) conversion.anchors.set(anchor, undefined);
  const sized = convertPlain(node, conversion, at);
  if (anchor !== undefined) conversion.anchors.set(anchor, sized);
  return sized;
}

function convertPlain(node: unknown, conversion: Conversion, at: number): Sized {
  if (isMap(node)) return convertMap(node, conversion);
  if (isSeq(node)) {
    const [start = at, end = at] = node.range ?? [];
    const items = node.items.map((item) => convertNode(item, conversion, start));
    const list: ListNode = { kind: 'list', items: items.map((item) => item.node), start, end };
    return { node: list, size: items.reduce((sum, item) => sum + item.size, 1) };
  }
  if (isScalar(node)) refuseLoneMark(node, conversion, at);
  return { node: isScalar(node) ? convertScalar(node, at) : emptyScalar(at), size: 1 };
}

// YAML reads `! Bash` as `Bash`, so an exclusion would silently become a grant.
function refuseLoneMark({ tag, range }: Scalar, { findings }: Conversion, at: number): void {
  const [offset = at] = range ?? [];
  if (tag === '!')
    findings.push({
      ...syntax(offset, 'YAML ignores the `!` before this value.'),
      remedy: markRemedy,
    });
}

function convertScalar(scalar: Scalar, at: number): ScalarNode {
  const [start = at, end = at] = scalar.range ?? [];
  const { source = '' } = scalar;
  return { kind: 'scalar', value: valueOf(scalar.value, source), source, start, end };
}

// With `%YAML 1.1` the library may return types that JSON does not have. They count as the text in the file.
function valueOf(value: unknown, source: string): ScalarValue {
  if (value === undefined || value === null) return null;
  return typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string'
    ? value
    : source;
}

function emptyScalar(at: number): ScalarNode {
  return { kind: 'scalar', value: null, source: '', start: at, end: at };
}

function convertMap(map: YAMLMap, conversion: Conversion): Sized {
  const [start = 0, end = 0] = map.range ?? [];
  const own = new Map<string, MapEntry>();
  const merged: MapEntry[] = [];
  let size = 1;
  for (const pair of map.items) {
    const key = keyOf(pair, start);
    const value = convertNode(pair.value, conversion, key.end);
    size += value.size;
    if (key.isMerge) merged.push(...mergedEntries(value.node, conversion));
    else if (own.has(key.name)) conversion.findings.push(duplicate(key.name, key.start));
    else own.set(key.name, { key: key.name, start: key.start, value: value.node });
  }
  for (const entry of merged) if (!own.has(entry.key)) own.set(entry.key, entry);
  const node: MapNode = { kind: 'map', entries: [...own.values()], start, end };
  return { node, size };
}

interface Key {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly isMerge: boolean;
}

function keyOf({ key }: Pair, at: number): Key {
  if (!isScalar(key)) return { name: '', start: at, end: at, isMerge: false };
  const [start = at, end = at] = key.range ?? [];
  const isMerge = key.type === Scalar.PLAIN && key.source === '<<';
  return { name: isMerge ? '<<' : String(valueOf(key.value, key.source ?? '') ?? ''), start, end, isMerge };
}

function duplicate(key: string, offset: number): Finding {
  return {
    code: 'config.duplicate_key',
    offset,
    path: [key],
    message: `Duplicate key ${quote(key)}.`,
  };
}

function mergedEntries(node: TreeNode, conversion: Conversion): readonly MapEntry[] {
  const sources = node.kind === 'list' ? node.items : [node];
  const entries: MapEntry[] = [];
  for (const source of sources) {
    if (source.kind !== 'map') {
      conversion.findings.push(
        syntax(source.start, 'A merge key `<<` needs a mapping or a list of mappings.'),
      );
    } else if (spend(conversion, source.entries.length)) {
      for (const entry of source.entries) entries.push(entry);
    }
  }
  return entries;
}

function resolveAlias(alias: Alias, conversion: Conversion): Sized {
  const [start = 0, end = 0] = alias.range ?? [];
  const target = conversion.anchors.get(alias.source);
  if (target !== undefined && spend(conversion, target.size)) {
    return { node: { ...target.node, start, end }, size: target.size };
  }
  if (target === undefined) {
    const message = `The anchor ${quote(alias.source)} is not defined before this alias.`;
    conversion.findings.push({ ...syntax(start, message), remedy: starRemedy });
  }
  return { node: emptyScalar(start), size: 1 };
}

function spend(conversion: Conversion, amount: number): boolean {
  conversion.repeated += amount;
  return conversion.repeated <= MOST_REPEATED;
}
