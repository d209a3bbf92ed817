import { describe, expect, it } from 'vitest';
import { JsonText } from '../../../lib/json-text.js';
import { sheetLines } from './tool-sheet.js';
import type { Tool } from './with-tools.js';

const described = (type: string, description: string) => ({ type, description });
const own: Tool = {
  kind: 'tool',
  name: 'count_words',
  localName: 'count_words',
  source: 'workspace',
  effect: 'read',
  hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
  needs: ['files'],
  optional: ['shell'],
  tier: 3,
  aliases: { file_path: ['path', 'filePath'] },
  graph: { first: 'read', edges: { read: ['exit'] } },
  definition: JsonText.from({
    name: 'count_words',
    title: 'Count words',
    description: 'Counts the words of a file, however many of them there are.\n\n- fast\n- exact',
    inputSchema: {
      type: 'object',
      properties: {
        file_path: described('string', 'The file to count the words of, which may be of any size at all.'),
        mode: { enum: ['words', 'lines'], description: 'What to count.' },
      },
      required: ['file_path'],
    },
    outputSchema: {
      type: 'object',
      properties: {
        total: described('integer', 'How many.'),
        words: {
          type: 'array',
          items: { type: 'object', properties: { word: {}, count: {} } },
          description: 'Each.',
        },
        error: described('object', 'Why the call failed.'),
      },
      anyOf: [{ required: ['total'] }, { required: ['error'] }],
    },
  }),
};

const plain = (columns: number) => ({ columns, paint: (_colour: string, text: string) => text });

describe('the sheet of a tool', () => {
  it('shows all facts about a built-in tool', () => {
    expect(sheetLines(own, plain(60)).join('\n')).toBe(`count_words  Count words

source  workspace
effect  read
hints   read-only, not destructive, idempotent, not open-world
tier    3, tasks, git and commands
needs   files
may use shell

Counts the words of a file, however many of them there are.

- fast
- exact

Arguments
  file_path  string, required
             The file to count the words of, which may be of
             any size at all.
             also: path, filePath
  mode       words | lines
             What to count.

Result
  total  integer, always
         How many.
  words  array of { word, count }
         Each.

Try: tidegate tools call count_words file_path=…
     tidegate tools show count_words --graph`);
  });

  it('shows only what the server says about its tool', () => {
    const definition = JsonText.from({
      name: 'add',
      inputSchema: { type: 'object', properties: { 'a-name-that-is-too-long-for-a-column': {} } },
      outputSchema: {
        type: 'object',
        properties: { error: { type: ['string', 'null'] } },
        required: ['error'],
      },
    });
    const { needs: _n, optional: _o, tier: _t, aliases: _a, graph: _g, ...spec } = own;
    const theirs: Tool = { ...spec, source: 'server:calc', effect: 'execute', hints: {}, definition };
    expect(sheetLines(theirs, plain(60)).join('\n')).toBe(`count_words

source  server:calc
effect  execute
hints   none

Arguments
  a-name-that-is-too-long-for-a-column
                          any

Result
  error  string or null, always

Try: tidegate tools call count_words`);
  });

  it('is wrapped to the terminal, and not wrapped elsewhere', () => {
    for (const columns of [40, 80, 120]) {
      const widest = Math.max(...sheetLines(own, plain(columns)).map((line) => line.length));
      // Lines with facts are short, so they are not wrapped.
      expect(widest).toBeLessThanOrEqual(Math.max(columns, 62));
    }
    expect(sheetLines(own, plain(Infinity)).join('\n')).toContain('which may be of any size at all.');
  });

  it('escapes text of the tool for the terminal', () => {
    const evil = { name: 'x', title: 'a\u001b[2J', description: '\u202eb', inputSchema: {} };
    const text = sheetLines({ ...own, definition: JsonText.from(evil) }, plain(80)).join('\n');
    expect(text).not.toMatch(/[\u001b\u202e]/);
  });
});
