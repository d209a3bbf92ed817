import { describe, expect, it } from 'vitest';
import { JsonText } from '../../../lib/json-text.js';
import type { Tool } from './with-tools.js';
import { unknownArgumentLines } from './unknown-arguments.js';

const text = { type: 'string' };
const edits = { type: 'array', items: { type: 'object', properties: { old: text, all: text } } };
const properties = { file_path: text, replace_all: text, edits, meta: { type: 'object' } };

function tool(schema: object, more: Partial<Tool> = {}): Tool {
  return {
    kind: 'tool',
    name: 'Edit',
    localName: 'Edit',
    source: 'server:files',
    effect: 'write',
    hints: {},
    aliases: { file_path: ['path', 'absolutePath'] },
    definition: JsonText.from({ name: 'Edit', inputSchema: schema }),
    ...more,
  };
}

const closed = tool({ type: 'object', properties, additionalProperties: false });

describe('unknown arguments of a tool', () => {
  it.each([
    [{ file_path: 'a' }, []],
    [{ path: 'a' }, []],
    [{ meta: { anything: 1 } }, []],
    [{ edits: [{ old: 'a' }, 7, null] }, []],
    [{ edits: '[{"odd":1}]' }, []],
    [{ flie_path: 'a' }, ['"flie_path". Sent anyway. Did you mean "file_path"?']],
    [{ absolutPath: 'a' }, ['"absolutPath". Sent anyway. Did you mean "file_path"?']],
    [{ wait_for_previous: true }, ['"wait_for_previous". Sent anyway.']],
    [{ edits: [{ al: 1 }] }, ['"edits[0].al". Sent anyway. Did you mean "all"?']],
    [{ ['x\u001b[2J']: 1 }, ['"x\\u001b[2J". Sent anyway.']],
    [{ __proto__: undefined, constructor: 1 }, ['"constructor". Sent anyway.']],
  ])('are reported for %j', (given, lines) => {
    const expected = lines.map((line) => `warning: Edit has no argument ${line}`);
    expect(unknownArgumentLines(closed, JSON.stringify(given))).toEqual(expected);
  });

  it('are sent to the server anyway', () => {
    const theirs = tool({ type: 'object', properties });
    expect(unknownArgumentLines(theirs, '{"file_pat":1}')).toEqual([
      'warning: Edit has no argument "file_pat". Sent anyway. Did you mean "file_path"?',
    ]);
  });

  it('are not reported for built-in tools, which do so themselves', () => {
    const own = tool({ type: 'object', properties }, { source: 'builtin' });
    expect(unknownArgumentLines(own, '{"file_pat":1}')).toEqual([]);
  });

  it.each([
    { type: 'object' },
    { type: 'object', properties, additionalProperties: true },
    { type: 'object', properties, additionalProperties: { type: 'string' } },
    { type: 'object', properties, patternProperties: { '^x': {} } },
  ])('are not reported if the schema accepts any name', (schema) => {
    expect(unknownArgumentLines(tool(schema), '{"odd":1}')).toEqual([]);
  });

  it('are reported for an open schema if they look misspelled', () => {
    const open = tool({ type: 'object', properties, additionalProperties: true }, { source: 'plugin:files' });
    expect(unknownArgumentLines(open, '{"file_pat":1,"odd":2}')).toEqual([
      'warning: Edit has no argument "file_pat". Sent anyway. Did you mean "file_path"?',
    ]);
  });

  it('are counted if there are many', () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`odd${String(i)}`, 1]));
    const lines = unknownArgumentLines(closed, JSON.stringify(many));
    expect(lines).toHaveLength(11);
    expect(lines.at(-1)).toBe('warning: 20 more unknown arguments.');
  });
});
