import { describe, expect, it } from 'vitest';
import { emptyMap, type MapNode, type TreeNode } from '../tree.js';
import type { HeldText, Language, ReadContext, TableFinding } from './context.js';
import type { Field, RecordField } from './field.js';
import { readPart, readTable } from './read-table.js';

type Code = 'unknown' | 'extra' | 'missing' | 'both' | 'type' | 'value' | 'name' | 'unsupported';

const strict: Language<Code> = {
  codes: {
    unknownKey: { refuse: 'unknown', warn: 'extra' },
    missing: 'missing',
    exclusive: 'both',
    wrongType: 'type',
    badValue: 'value',
    badName: 'name',
    unsupported: 'unsupported',
  },
  formats: { short: (text) => (text.length > 3 ? { says: 'is too long' } : undefined) },
  nameRules: { lower: { pattern: '^[a-z]+$', remedy: 'Use lowercase letters.' } },
  unknownKeys: 'refuse',
  emptyEntries: 'refuse',
  reading: 'complete',
};
const lenient: Language<Code> = { ...strict, unknownKeys: 'warn', emptyEntries: 'keep', reading: 'partial' };

/** A tree in which every node starts at the next number. */
function treeOf(value: unknown, at = { next: 0 }): TreeNode {
  const start = at.next++;
  if (Array.isArray(value))
    return { kind: 'list', items: value.map((item) => treeOf(item, at)), start, end: start };
  if (typeof value === 'object' && value !== null) return { ...mapOf(value, at), start };
  const scalar = value as string | number | boolean | null;
  return { kind: 'scalar', value: scalar, source: String(scalar ?? ''), start, end: start };
}

function mapOf(value: object, at = { next: 0 }): MapNode {
  const entries = Object.entries(value).map(([key, own]) => ({
    key,
    start: at.next++,
    value: treeOf(own, at),
  }));
  return { ...emptyMap, entries };
}

const record = (fields: RecordField['fields'], more: Partial<RecordField> = {}): RecordField => ({
  kind: 'record',
  description: '',
  fields,
  ...more,
});
const text: Field = { kind: 'text', description: '' };

function read(table: RecordField, value: unknown, language = strict, more: Partial<ReadContext<Code>> = {}) {
  const found: TableFinding<Code>[] = [];
  const values = readTable(table, treeOf(value), {
    language,
    report: (one) => void found.push(one),
    ...more,
  });
  return { values, found: found.map(({ code, path }) => `${code} ${path.join('.')}`.trim()) };
}

describe('an unknown key', () => {
  it.each([
    ['the language refuses it', strict, {}, ['unknown b']],
    ['the language warns', lenient, {}, ['extra b']],
    ['the record refuses it', lenient, { unknownKeys: 'refuse' }, ['unknown b']],
    ['the record accepts it', strict, { unknownKeys: 'accept' }, []],
  ] as const)(
    'is reported as configured for the record or the language: %s',
    (_, language, more, expected) => {
      expect(read(record({ a: text }, more), { a: 'x', b: 'y' }, language).found).toEqual(expected);
    },
  );

  it('is not reported if other code reads it', () => {
    const found: unknown[] = [];
    const context = { language: strict, report: (one: unknown) => void found.push(one) };
    const place = { node: mapOf({ a: 'x', b: 'y' }), path: [] };
    expect(readPart(record({ a: text }), place, context, (key) => key === 'b')).toEqual({ a: 'x' });
    expect(found).toEqual([]);
  });
});

describe('a record without a required key', () => {
  const table = record({
    in: record({ a: { ...text, required: true }, b: { kind: 'integer', description: '', default: 4 } }),
  });
  it('is left out of a complete result', () => {
    expect(read(table, { in: { b: 2 } })).toEqual({ values: { in: undefined }, found: ['missing in'] });
  });
  it('keeps its valid keys in a partial result, without defaults', () => {
    expect(read(table, { in: { b: 2 } }, lenient)).toEqual({
      values: { in: { b: 2 } },
      found: ['missing in'],
    });
    expect(read(table, { in: { a: 'x' } }, lenient).values).toEqual({ in: { a: 'x' } });
    expect(read(table, { in: { a: 'x' } }).values).toEqual({ in: { a: 'x', b: 4 } });
  });
});

describe('an empty entry', () => {
  const table = record({ map: { kind: 'map', description: '', isPlain: true, of: text } });
  it('is an error or null, depending on the language', () => {
    expect(read(table, { map: { a: null } })).toEqual({ values: { map: {} }, found: ['type map.a'] });
    expect(read(table, { map: { a: null } }, lenient)).toEqual({ values: { map: { a: null } }, found: [] });
  });
});

describe('a scalar', () => {
  it.each<[string, Field, unknown, unknown, readonly string[]]>([
    ['a number as text', { ...text, takesScalars: true }, 5, '5', []],
    ['no number as text', text, 5, undefined, ['type a']],
    ['a word as boolean', { kind: 'boolean', description: '', takesWords: true }, 'off', false, []],
    ['no word as boolean', { kind: 'boolean', description: '' }, 'off', undefined, ['type a']],
    ['a format', { ...text, format: 'short' }, 'long text', undefined, ['value a']],
    ['a fraction as integer', { kind: 'integer', description: '' }, 1.5, undefined, ['value a']],
    ['a number out of range', { kind: 'number', description: '', maximum: 1 }, 2, undefined, ['value a']],
    ['a size', { kind: 'size', description: '' }, '2kb', 2048, []],
    ['milliseconds', { kind: 'duration', description: '' }, 30, 30, []],
    ['seconds', { kind: 'duration', description: '', notation: 'compound' }, 30, 30_000, []],
    ['a choice', { kind: 'choice', description: '', choices: ['x', 'y'] }, 'z', undefined, ['value a']],
  ])('is read according to its field: %s', (_, field, given, expected, found) => {
    expect(read(record({ a: field }), { a: given })).toEqual({ values: { a: expected }, found });
  });
});

describe('the reader', () => {
  it('reads values of the first kind with the first field, and others with the second', () => {
    const list: Field = { kind: 'list', description: '', of: text };
    const table = record({ a: { kind: 'either', description: '', first: list, second: text } });
    expect(read(table, { a: ['x'] }).values).toEqual({ a: ['x'] });
    expect(read(table, { a: 'x' }).values).toEqual({ a: 'x' });
  });

  it('checks names', () => {
    const table = record({ a: { kind: 'map', description: '', names: 'lower', of: text } });
    expect(read(table, { a: { B: 'x' } }).found).toEqual(['name a.B']);
  });

  it('notes texts that are checked later, even inside a value of any type', () => {
    const held: HeldText[] = [];
    const table = record({
      a: { kind: 'any', description: '', holds: 'template' },
      b: { ...text, holds: 'state' },
    });
    read(table, { a: [1, { c: 'x' }], b: 'y' }, strict, { note: (one) => void held.push(one) });
    expect(held.map(({ holds, text: value, path }) => [holds, value, path.join('.')])).toEqual([
      ['template', 'x', 'a.1.c'],
      ['state', 'y', 'b'],
    ]);
  });

  it('reports a problem with the context of the node it is in', () => {
    const inner: string[] = [];
    const root = mapOf({ a: { b: 5 } });
    const elsewhere = root.entries[0]?.value;
    const outer: ReadContext<Code> = {
      language: strict,
      report: () => inner.push('outer'),
      inside: (node) =>
        node === elsewhere ? { language: strict, report: () => inner.push('inner') } : outer,
    };
    readTable(record({ a: record({ b: text }), c: { ...text, required: true } }), root, outer);
    expect(inner).toContain('inner');
    expect(inner).toContain('outer');
  });

  it('checks the resolved text and returns the kept one', () => {
    const table = record({ a: { ...text, format: 'short' } });
    const resolve = () => ({ value: 'ok', source: '${LONG}', isReference: true, kept: '${LONG}' });
    expect(read(table, { a: '${LONG}' }, strict, { resolve }).values).toEqual({ a: '${LONG}' });
    expect(read(table, { a: '${LONG}' }).found).toEqual(['value a']);
  });
});
