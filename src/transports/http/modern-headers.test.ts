import { describe, expect, it } from 'vitest';
import { JsonText } from '../../lib/json-text.js';
import type { ToolSpec } from '../../core/index.js';
import { headerProblem, paramProblem } from './modern-headers.js';

const version = '2026-07-28';
const base64 = (text: string): string => `=?base64?${Buffer.from(text).toString('base64')}?=`;
const right = { 'mcp-protocol-version': version, 'mcp-method': 'tools/call', 'mcp-name': 'echo' };
const params = JsonText.from({ name: 'echo' });

describe('the headers of a stateless request', () => {
  it('match its body', () => {
    expect(headerProblem(right, 'tools/call', params, version)).toBeUndefined();
    const list = { 'mcp-protocol-version': version, 'mcp-method': 'tools/list' };
    expect(headerProblem(list, 'tools/list', JsonText.from({}), version)).toBeUndefined();
    const read = { ...right, 'mcp-method': 'resources/read', 'mcp-name': 'x://1' };
    expect(headerProblem(read, 'resources/read', JsonText.from({ uri: 'x://1' }), version)).toBeUndefined();
  });

  it.each<[string, Readonly<Record<string, string | string[]>>]>([
    ['no version', { 'mcp-method': 'tools/call', 'mcp-name': 'echo' }],
    ['another version', { ...right, 'mcp-protocol-version': '2025-11-25' }],
    ['no method', { 'mcp-protocol-version': version, 'mcp-name': 'echo' }],
    ['another method', { ...right, 'mcp-method': 'tools/list' }],
    ['a method in another case', { ...right, 'mcp-method': 'Tools/Call' }],
    ['no name', { 'mcp-protocol-version': version, 'mcp-method': 'tools/call' }],
    ['another name', { ...right, 'mcp-name': 'other' }],
    ['a name in another case', { ...right, 'mcp-name': 'Echo' }],
    ['two names', { ...right, 'mcp-name': ['echo', 'echo'] }],
    ['two names in one line', { ...right, 'mcp-name': 'echo, echo' }],
    ['an empty name', { ...right, 'mcp-name': '' }],
    ['a name with other characters', { ...right, 'mcp-name': 'echö' }],
    ['broken base64', { ...right, 'mcp-name': '=?base64?ZWNobw?=' }],
    ['base64 of something else', { ...right, 'mcp-name': base64('other') }],
  ])('do not match %s', (_name, headers) => {
    expect(headerProblem(headers, 'tools/call', params, version)).toMatch(/header/);
  });

  it('may encode a name in base64', () => {
    const named = (name: string) =>
      headerProblem({ ...right, 'mcp-name': base64(name) }, 'tools/call', JsonText.from({ name }), version);
    expect(['echo', 'ünïcode 😀', ' spaced ', '=?base64?x?='].map(named)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('cannot use invalid bytes to imitate the replacement character', () => {
    const name = `=?base64?${Buffer.of(0xff).toString('base64')}?=`;
    const body = JsonText.from({ name: '\ufffd' });
    expect(headerProblem({ ...right, 'mcp-name': name }, 'tools/call', body, version)).toMatch(/invalid/);
  });

  it('leave a body without a name to its own error', () => {
    expect(headerProblem(right, 'tools/call', JsonText.from({}), version)).toBeUndefined();
  });
});

describe('arguments in headers', () => {
  const tool: ToolSpec = {
    kind: 'tool',
    name: 't',
    localName: 't',
    source: 'builtin',
    effect: 'read',
    hints: {},
    definition: JsonText.from({
      name: 't',
      inputSchema: {
        type: 'object',
        properties: {
          region: { type: 'string', 'x-mcp-header': 'Region' },
          level: { type: 'integer', 'x-mcp-header': 'Level' },
          dry: { type: 'boolean', 'x-mcp-header': 'Dry' },
          deep: { type: 'object', properties: { id: { type: 'string', 'x-mcp-header': 'Deep-Id' } } },
          plain: { type: 'string' },
        },
      },
    }),
  };
  const problem = (args: string, headers: Readonly<Record<string, string>>): string | undefined =>
    paramProblem(headers, tool, new JsonText(`{"name":"t","arguments":${args}}`));

  it.each<[string, Readonly<Record<string, string>>]>([
    ['{}', {}],
    ['{"region":"eu"}', { 'mcp-param-region': 'eu' }],
    ['{"region":"ö"}', { 'mcp-param-region': base64('ö') }],
    ['{"region":null}', {}],
    ['{"level":42}', { 'mcp-param-level': '42' }],
    ['{"level":42}', { 'mcp-param-level': '42.0' }],
    ['{"level":-0.5e1}', { 'mcp-param-level': '-5' }],
    ['{"level":9007199254740993}', { 'mcp-param-level': '9007199254740993' }],
    ['{"dry":true}', { 'mcp-param-dry': 'true' }],
    ['{"deep":{"id":"x"}}', { 'mcp-param-deep-id': 'x' }],
    ['{"plain":"x"}', {}],
  ])('match: %s', (args, headers) => {
    expect(problem(args, headers)).toBeUndefined();
  });

  it.each<[string, Readonly<Record<string, string>>]>([
    ['{"region":"eu"}', {}],
    ['{"region":"eu"}', { 'mcp-param-region': 'us' }],
    ['{"region":"eu"}', { 'mcp-param-region': 'EU' }],
    ['{}', { 'mcp-param-region': 'eu' }],
    ['{"region":null}', { 'mcp-param-region': 'null' }],
    ['{"level":42}', { 'mcp-param-level': '43' }],
    ['{"level":42}', { 'mcp-param-level': '0x2a' }],
    ['{"level":42}', { 'mcp-param-level': '' }],
    ['{"level":0}', { 'mcp-param-level': ' ' }],
    ['{"level":1e999}', { 'mcp-param-level': 'Infinity' }],
    ['{"level":9007199254740993}', { 'mcp-param-level': '9007199254740994' }],
    ['{"level":"42"}', { 'mcp-param-level': '42.0' }],
    ['{"dry":true}', { 'mcp-param-dry': 'True' }],
    ['{"deep":{"id":"x"}}', {}],
    ['{"deep":{}}', { 'mcp-param-deep-id': 'x' }],
  ])('do not match: %s with %j', (args, headers) => {
    expect(problem(args, headers)).toMatch(/^Mcp-Param-/);
  });
});
