import { describe, expect, it } from 'vitest';
import { callOf } from '../../../test/support/upstream-calls.js';
import { JsonText } from '../../lib/json-text.js';
import type { ToolSpec } from '../../core/index.js';
import { createParamHeaderReader, readParamHeaders } from './param-headers.js';

const marked = (more: object): object => ({ type: 'string', 'x-mcp-header': 'Region', ...more });
const schema = (region: unknown): object => ({ type: 'object', properties: { region } });

describe('parameters that become headers', () => {
  it('are found at any depth of properties', () => {
    const nested = schema({ type: 'object', properties: { inner: marked({}) } });
    expect(readParamHeaders(nested)).toEqual({
      ok: true,
      headers: [{ header: 'Mcp-Param-Region', path: ['region', 'inner'] }],
    });
  });

  it.each([
    ['an empty name', schema(marked({ 'x-mcp-header': '' }))],
    ['a name with a space', schema(marked({ 'x-mcp-header': 'a b' }))],
    ['a name with a line break', schema(marked({ 'x-mcp-header': 'a\r\nb: c' }))],
    ['a name that is not a string', schema(marked({ 'x-mcp-header': 7 }))],
    ['a number', schema(marked({ type: 'number' }))],
    ['an object', schema(marked({ type: 'object' }))],
    ['no type', schema({ 'x-mcp-header': 'Region' })],
    ['items', schema({ type: 'array', items: marked({}) })],
    ['oneOf', schema({ oneOf: [marked({})] })],
    ['$defs', { ...schema({ $ref: '#/$defs/r' }), $defs: { r: marked({}) } }],
    ['the root', { type: 'string', 'x-mcp-header': 'Root' }],
    ['the same name twice', { properties: { a: marked({}), b: marked({ 'x-mcp-header': 'REGION' }) } }],
  ])('are invalid with %s', (_what, invalid) => {
    expect(readParamHeaders(invalid).ok).toBe(false);
  });

  it('can be the name of a property, or appear in a default', () => {
    expect(readParamHeaders({ properties: { 'x-mcp-header': { type: 'string' } } }).ok).toBe(true);
    expect(readParamHeaders(schema({ default: { 'x-mcp-header': 'a b' } })).ok).toBe(true);
  });

  it('carry the arguments of a call, and nothing if there are none', () => {
    const inputSchema = {
      type: 'object',
      properties: {
        a: { type: 'string', 'x-mcp-header': 'A' },
        b: { type: 'integer', 'x-mcp-header': 'B' },
        c: { type: 'boolean', 'x-mcp-header': 'C' },
        d: { type: 'string', 'x-mcp-header': 'D' },
        e: { type: 'string', 'x-mcp-header': 'E' },
      },
    };
    const read = createParamHeaderReader();
    const params = '{"name":"t","arguments":{"a":"ä","b":42,"c":false,"d":null}}';
    expect(read(callOf({ kind: 'tool', spec: toolWith(inputSchema) }, { params }))).toEqual({
      'Mcp-Param-A': '=?base64?w6Q=?=',
      'Mcp-Param-B': '42',
      'Mcp-Param-C': 'false',
    });
    expect(read(callOf({ kind: 'tool', spec: toolWith({ type: 'object' }) }, { params }))).toBeUndefined();
  });
});

function toolWith(inputSchema: object): ToolSpec {
  const definition = JsonText.from({ name: 't', inputSchema });
  return {
    kind: 'tool',
    name: 't',
    localName: 't',
    source: 'server:s',
    effect: 'execute',
    hints: {},
    definition,
  };
}
