import { describe, expect, it } from 'vitest';
import type { InputSchema, OperationSchema } from '../../plugin-protocol/index.js';
import { toolsOf } from './operation-tool.js';

const input = (name: string, more: Partial<InputSchema> = {}): InputSchema => ({
  name,
  type: 'string',
  required: false,
  default: '',
  description: '',
  validation: '',
  ...more,
});
const operation = (name: string, more: Partial<OperationSchema> = {}): OperationSchema => ({
  name,
  description: '',
  inputs: [],
  outputs: [],
  ...more,
});

function read(...operations: readonly OperationSchema[]) {
  const warnings: unknown[] = [];
  const tools = toolsOf('p', operations, (message, fields) => void warnings.push({ message, ...fields }));
  return {
    warnings,
    tools,
    first: tools[0]?.definition.value as Readonly<Record<string, unknown>> | undefined,
  };
}
const propertyOf = (given: InputSchema): unknown => {
  const schema = read(operation('o', { inputs: [given] })).first?.['inputSchema'];
  return (schema as { readonly properties: Readonly<Record<string, unknown>> }).properties[given.name];
};

describe('[15.15] names of operations', () => {
  it('that look like an earlier one are left out, and so are fields with invisible characters', () => {
    const { tools, warnings } = read(
      operation('list1'),
      operation('listl'),
      operation('in', { inputs: [input('a\u200b')] }),
      operation('out', { outputs: [{ name: 'b\u202e', type: 'string', description: '' }] }),
    );
    expect(tools.map(({ localName }) => localName)).toEqual(['list1']);
    expect(warnings).toEqual([
      { message: 'an operation was left out', operation: 'listl', reason: 'its name looks like "list1"' },
      {
        message: 'an operation was left out',
        operation: 'in',
        reason: 'its field names contain invisible characters',
      },
      {
        message: 'an operation was left out',
        operation: 'out',
        reason: 'its field names contain invisible characters',
      },
    ]);
  });
});

describe('an operation as a tool', () => {
  it('is named after plugin and operation, and keeps its own name for the plugin', () => {
    const { tools } = read(operation('b_c'), operation('a'));
    expect(tools.map(({ name, localName, source }) => [name, localName, source])).toEqual([
      ['p_a', 'a', 'plugin:p'],
      ['p_b_c', 'b_c', 'plugin:p'],
    ]);
  });

  it('accepts anything if the plugin declares nothing', () => {
    expect(read(operation('o')).first?.['inputSchema']).toEqual({
      type: 'object',
      additionalProperties: true,
    });
  });

  it.each([
    ['string', 'x', { type: 'string', default: 'x' }],
    ['integer', '-5', { type: 'integer', default: -5 }],
    ['integer', '9007199254740993', { type: 'integer' }],
    ['integer', '1.5', { type: 'integer' }],
    ['number', '1.5', { type: 'number', default: 1.5 }],
    ['float', 'NaN', { type: 'number' }],
    ['boolean', 'false', { type: 'boolean', default: false }],
    ['boolean', 'yes', { type: 'boolean' }],
    ['array', '[1,"a"]', { type: 'array', default: [1, 'a'] }],
    ['array', '{}', { type: 'array' }],
    ['object', '{"a":1}', { type: 'object', additionalProperties: true, default: { a: 1 } }],
    ['object', 'oops', { type: 'object', additionalProperties: true }],
    ['', '', {}],
    ['constructor', '', {}],
  ])('has a typed default: %s %s', (type, value, expected) => {
    expect(propertyOf(input('i', { type, default: value }))).toEqual(expected);
  });

  it('warns about an unknown type and an invalid default', () => {
    const given = [input('a', { type: 'tensor' }), input('b', { type: 'integer', default: 'many' })];
    expect(read(operation('o', { inputs: given })).warnings).toHaveLength(2);
  });

  it('maps the validations of the plugin', () => {
    expect(propertyOf(input('i', { validation: 'url' }))).toEqual({ type: 'string', format: 'uri' });
    expect(propertyOf(input('i', { validation: 'email' }))).toEqual({ type: 'string', format: 'email' });
    expect(propertyOf(input('i', { validation: 'prime' }))).toEqual({
      type: 'string',
      'x-validation': 'prime',
    });
  });

  it('lists required inputs, and passes extra arguments on', () => {
    const given = [input('z', { required: true }), input('a', { required: true }), input('m'), input('')];
    expect(read(operation('o', { inputs: given })).first?.['inputSchema']).toMatchObject({
      required: ['a', 'z'],
      additionalProperties: true,
    });
  });

  it('is left out with a warning if it cannot be a tool', () => {
    const twice = operation('t', { inputs: [input('a'), input('a')] });
    const { tools, warnings } = read(
      operation('a b'),
      operation(''),
      twice,
      operation('x'.repeat(200)),
      operation('o'),
      operation('o'),
    );
    expect(tools.map(({ name }) => name)).toEqual(['p_o']);
    expect(warnings).toHaveLength(5);
  });

  it('contains no invisible characters in text for a model', () => {
    const { first } = read(operation('o', { description: 'good\u202Eevil\u200b' }));
    expect(first?.['description']).toBe('good\\u202eevil\\u200b');
  });

  it('names the fields of the result, without promising any of them', () => {
    const { first } = read(
      operation('o', {
        description: 'Counts.',
        outputs: [{ name: 'n', type: 'integer', description: 'How many.' }],
      }),
    );
    expect(first?.['description']).toBe('Counts. Returns a JSON object with fields: n.');
    expect(first?.['outputSchema']).toEqual({
      type: 'object',
      properties: { n: { type: 'integer', description: 'How many.' } },
      additionalProperties: true,
    });
  });
});
