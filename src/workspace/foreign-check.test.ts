import { describe, expect, it } from 'vitest';
import { JsonText } from '../lib/json-text.js';
import type { ToolSpec } from '../core/index.js';
import { createArgumentCheck } from '../providers/local/index.js';
import { createForeignCheck } from './foreign-check.js';

/** Each level refers twice to the next: 2^depth visits in a few hundred bytes. */
function referenceBomb(depth: number): Readonly<Record<string, unknown>> {
  const $defs: Record<string, unknown> = { [`d${String(depth)}`]: { type: 'object' } };
  for (let level = depth - 1; level >= 0; level -= 1) {
    const next = { $ref: `#/$defs/d${String(level + 1)}` };
    $defs[`d${String(level)}`] = { allOf: [next, next] };
  }
  return { type: 'object', $ref: '#/$defs/d0', $defs };
}

/** Each level has its own id, which makes the validator walk everything below it twice. */
function idBomb(depth: number): Readonly<Record<string, unknown>> {
  let schema: Readonly<Record<string, unknown>> = { type: 'object' };
  for (let level = depth; level > 0; level -= 1)
    schema = { $id: `https://x.example/${String(level)}`, allOf: [schema] };
  return schema;
}

function toolWith(inputSchema: unknown): ToolSpec {
  const definition = new JsonText(JSON.stringify({ name: 'x', inputSchema }));
  return {
    kind: 'tool',
    name: 'x',
    localName: 'x',
    source: 'server:up',
    effect: 'read',
    hints: {},
    definition,
  };
}

const params = (value: unknown): JsonText => new JsonText(JSON.stringify({ name: 'x', arguments: value }));

function open(): { readonly check: ReturnType<typeof createForeignCheck>; readonly said: string[] } {
  const said: string[] = [];
  return { said, check: createForeignCheck({ warn: (message) => said.push(message), now: () => 0 }) };
}

describe('checking arguments against a server’s schema', () => {
  it('finds invalid arguments', () => {
    const tool = toolWith({
      type: 'object',
      required: ['a'],
      properties: { a: { $ref: '#/$defs/n' } },
      $defs: { n: { type: 'number' } },
    });
    const { check, said } = open();
    expect(check(tool, params({}))).toEqual(['a is missing']);
    expect(check(tool, params({ a: 'x' }))).toContain('a must be of type number');
    expect(check(tool, params({ a: 1 }))).toEqual([]);
    expect(said).toEqual([]);
  });

  it.each([
    ['references', referenceBomb(40)],
    ['ids', idBomb(40)],
    ['a reference to itself', { $ref: '#' }],
    ['all of itself', { allOf: [{ $ref: '#' }, { $ref: '#' }] }],
  ])('[15.9] gives up on nested %s, lets the call pass, and warns once', (_, schema) => {
    const tool = toolWith(schema);
    const { check, said } = open();
    expect(check(tool, params({}))).toEqual([]);
    expect(check(tool, params({}))).toEqual([]);
    expect(said.length).toBeLessThanOrEqual(1);
  });

  it('[15.9] treats a property named $ref as a property', () => {
    const tool = toolWith({ type: 'object', properties: { $ref: { type: 'number' } } });
    expect(open().check(tool, params({ $ref: 'x' }))).toEqual(['$ref must be of type number']);
  });

  it('control: without the budget, each level doubles the visits', () => {
    const visits = (depth: number): number => {
      let count = 0;
      const schema = referenceBomb(depth);
      const last = (schema['$defs'] as Record<string, object>)[`d${String(depth)}`] ?? {};
      Object.defineProperty(last, '$ref', { get: () => void (count += 1) });
      createArgumentCheck(schema)({});
      return count;
    };
    expect(visits(12)).toBeGreaterThan(4096);
    expect(visits(13)).toBeGreaterThan(8192);
  });
});
