import {
  applyEdits,
  findNodeAtLocation,
  modify,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { CannotEdit, type Change, type DocumentFormat } from './document.js';
import { jsonErrorMessage } from './json-error-message.js';
import type { Json, JsonObject } from './json-value.js';

/** JSON with comments and trailing commas, as editors allow them. */
export const jsonDocument: DocumentFormat = {
  name: 'JSON',
  parse: (text) => objectOf(treeOf(text)),
  splice,
  entryTexts: (text, section, names) =>
    propertiesAt(treeOf(text), section)
      .filter((property) => names.includes(nameOf(property)))
      .map(({ offset, length }) => text.slice(offset, offset + length)),
  write: (_, name, entry) => `${JSON.stringify(name)}: ${JSON.stringify(entry, undefined, 2)}`,
};

function treeOf(text: string): Node | undefined {
  const body = withoutMark(text);
  if (body.trim() === '') return undefined;
  const errors: ParseError[] = [];
  const tree = parseTree(text.startsWith(mark) ? ` ${body}` : text, errors, { allowTrailingComma: true });
  const [first] = errors;
  if (first !== undefined)
    throw new SyntaxError(
      `${placeOf(text, first.offset)}: ${jsonErrorMessage(printParseErrorCode(first.error))}`,
    );
  if (tree?.type !== 'object') throw new SyntaxError('line 1: the file is not a JSON object');
  return tree;
}

const mark = '\ufeff';

function withoutMark(text: string): string {
  return text.startsWith(mark) ? text.slice(1) : text;
}

function placeOf(text: string, offset: number): string {
  return `line ${String(text.slice(0, offset).split('\n').length)}`;
}

function objectOf(tree: Node | undefined): JsonObject {
  return tree === undefined ? {} : (valueOf(tree) as JsonObject);
}

// The library's own conversion would turn a `__proto__` key into a prototype.
function valueOf(node: Node): Json {
  const { children = [] } = node;
  if (node.type === 'array') return children.map(valueOf);
  if (node.type !== 'object') return node.value as Json;
  return Object.fromEntries(children.map((property) => [nameOf(property), valueOf(valueNode(property))]));
}

function nameOf(property: Node): string {
  return String(property.children?.[0]?.value);
}

function valueNode(property: Node): Node {
  const [, value] = property.children ?? [];
  if (value === undefined) throw new SyntaxError('a key without a value');
  return value;
}

function propertiesAt(tree: Node | undefined, section: readonly string[]): readonly Node[] {
  const node = tree && findNodeAtLocation(tree, [...section]);
  return node?.type === 'object' ? (node.children ?? []) : [];
}

function splice(text: string, change: Change): string {
  const tree = treeOf(text);
  refuseTwins(tree, change.section);
  const { remove, add, section } = change;
  const properties = propertiesAt(tree, section);
  const going = properties.filter((one) => remove.includes(nameOf(one)) || nameOf(one) === add?.name);
  const [first, ...rest] = going;
  if (first === undefined) return add === undefined ? text : insert(text, section, add);
  const removed = add === undefined ? going : rest;
  const edits = removed.flatMap((property) => [...removal(text, property, properties, removed)]);
  if (add !== undefined) edits.push(replacement(text, first, add));
  return edits
    .sort((a, b) => b.from - a.from)
    .reduce((now, { from, to, put }) => now.slice(0, from) + put + now.slice(to), text);
}

interface Splice {
  readonly from: number;
  readonly to: number;
  readonly put: string;
}

/** Parsers disagree on which duplicate key counts. */
function refuseTwins(tree: Node | undefined, section: readonly string[]): void {
  for (let depth = 0; depth <= section.length; depth += 1) {
    const names = propertiesAt(tree, section.slice(0, depth)).map(nameOf);
    if (new Set(names).size < names.length) throw new CannotEdit('duplicate key in an object');
  }
}

function replacement(text: string, property: Node, add: NonNullable<Change['add']>): Splice {
  const { offset, length } = property;
  return { from: offset, to: offset + length, put: entryText(text, offset, add) };
}

/** The entry, indented like the line it begins on. */
function entryText(text: string, offset: number, { name, entry }: NonNullable<Change['add']>): string {
  const { step, end } = styleOf(text);
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  const before = text.slice(lineStart, offset);
  const indent = before.trim() === '' ? before : '';
  const isOneLine = !text.slice(0, offset).includes('\n') && !text.trimEnd().includes('\n');
  const lines = isOneLine ? [JSON.stringify(entry)] : JSON.stringify(entry, undefined, step).split('\n');
  return `${JSON.stringify(name)}: ${lines.join(`${end}${indent}`)}`;
}

function styleOf(text: string): { readonly step: string; readonly end: string } {
  const step = /^([\t ]+)\S/m.exec(text)?.[1] ?? '  ';
  return { step, end: text.includes('\r\n') ? '\r\n' : '\n' };
}

/** Removes the property with its comma, and the line if it is then empty. Comments stay. */
function removal(
  text: string,
  property: Node,
  all: readonly Node[],
  removed: readonly Node[],
): readonly Splice[] {
  const end = property.offset + property.length;
  const comma = commaAfter(text, end);
  if (comma !== undefined) {
    const between = text.slice(end, comma);
    return [{ ...wholeLine(text, property.offset, comma + 1), put: between.trim() }];
  }
  // Without a comma after the property, the one before it must go.
  const previous = all.slice(0, all.indexOf(property)).findLast((one) => !removed.includes(one));
  const before = previous && commaAfter(text, previous.offset + previous.length);
  const left = before === undefined ? [] : [{ from: before, to: before + 1, put: '' }];
  return [...left, wholeLine(text, property.offset, end)];
}

function wholeLine(text: string, start: number, end: number): Splice {
  const lineStart = text.lastIndexOf('\n', start - 1) + 1;
  const rest = /^[\t ]*\r?\n/.exec(text.slice(end))?.[0];
  const isAlone = rest !== undefined && text.slice(lineStart, start).trim() === '';
  if (isAlone) return { from: lineStart, to: end + rest.length, put: '' };
  return { from: start, to: end + (/^[\t ]+/.exec(text.slice(end))?.[0].length ?? 0), put: '' };
}

/** Position of the next comma, if only whitespace and comments come before it. */
function commaAfter(text: string, from: number): number | undefined {
  const skipped = /^(?:\s|\/\/[^\n\r]*|\/\*[^]*?\*\/)*/.exec(text.slice(from))?.[0].length ?? 0;
  return text[from + skipped] === ',' ? from + skipped : undefined;
}

function insert(
  text: string,
  section: readonly string[],
  { name, entry }: NonNullable<Change['add']>,
): string {
  const { step, end } = styleOf(text);
  const body = withoutMark(text);
  const lead = text.length === body.length ? '' : mark;
  const source = body.trim() === '' ? `{}${end}` : body;
  const formattingOptions = {
    insertSpaces: !step.startsWith('\t'),
    tabSize: step.startsWith('\t') ? 1 : step.length,
    eol: end,
  };
  const edits = modify(source, [...section, name], entry, {
    formattingOptions,
    getInsertionIndex: (keys) => keys.length,
  });
  return lead + applyEdits(source, edits);
}
