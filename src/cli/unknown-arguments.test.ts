import { describe, expect, it } from 'vitest';
import { JsonText } from '../kernel/index.js';
import type { Tool } from './tools.js';
import { unknownArgumentLines } from './unknown-arguments.js';

const text = { type: 'string' };
const edits = { type: 'array', items: { type: 'object', properties: { old: text, all: text } } };
const properties = { file_path: text, replace_all: text, edits, meta: { type: 'object' } };

function tool(schema: object, more: Partial<Tool> = {}): Tool {
  return {
    kind: 'tool',
    name: 'Edit',
    localName: 'Edit',
    source: 'builtin',
    effect: 'write',
    hints: {},
    aliases: { file_path: ['path', 'absolutePath'] },
    definition: JsonText.from({ name: 'Edit', inputSchema: schema }),
    ...more,
  };
}

const closed = tool({ type: 'object', properties, additionalProperties: false });

describe('arguments that a tool does not know', () => {
  it.each([
    [{ file_path: 'a' }, []],
    [{ path: 'a' }, []],
    [{ meta: { anything: 1 } }, []],
    [{ edits: [{ old: 'a' }, 7, null] }, []],
    [{ edits: '[{"odd":1}]' }, []],
    [{ flie_path: 'a' }, ['"flie_path"; it was left out. Did you mean "file_path"?']],
    [{ absolutPath: 'a' }, ['"absolutPath"; it was left out. Did you mean "file_path"?']],
    [{ wait_for_previous: true }, ['"wait_for_previous"; it was left out.']],
    [{ edits: [{ al: 1 }] }, ['"edits[0].al"; it was left out. Did you mean "all"?']],
    [{ ['x\u001b[2J']: 1 }, ['"x\\u001b[2J"; it was left out.']],
    [{ __proto__: undefined, constructor: 1 }, ['"constructor"; it was left out.']],
  ])('are named for %j', (given, lines) => {
    const expected = lines.map((line) => `warning: Edit has no argument ${line}`);
    expect(unknownArgumentLines(closed, JSON.stringify(given))).toEqual(expected);
  });

  it('are sent to a server, which judges them itself', () => {
    const theirs = tool({ type: 'object', properties }, { source: 'server:files' });
    expect(unknownArgumentLines(theirs, '{"file_pat":1}')).toEqual([
      'warning: Edit has no argument "file_pat"; it was sent all the same. Did you mean "file_path"?',
    ]);
  });

  it.each([
    { type: 'object' },
    { type: 'object', properties, additionalProperties: true },
    { type: 'object', properties, additionalProperties: { type: 'string' } },
    { type: 'object', properties, patternProperties: { '^x': {} } },
  ])('are none where the schema takes any name', (schema) => {
    expect(unknownArgumentLines(tool(schema), '{"odd":1}')).toEqual([]);
  });

  it('are told of in an open schema where they look misspelt', () => {
    const open = tool({ type: 'object', properties, additionalProperties: true }, { source: 'plugin:files' });
    expect(unknownArgumentLines(open, '{"file_pat":1,"odd":2}')).toEqual([
      'warning: Edit has no argument "file_pat"; it was sent all the same. Did you mean "file_path"?',
    ]);
  });

  it('are counted where there are many', () => {
    const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`odd${String(i)}`, 1]));
    const lines = unknownArgumentLines(closed, JSON.stringify(many));
    expect(lines).toHaveLength(11);
    expect(lines.at(-1)).toBe('warning: so it is with 20 more.');
  });
});
