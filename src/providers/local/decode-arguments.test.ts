import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { cardOf, clientAdditions } from '../../core/index.js';
import { decodeArguments } from '../../lib/decode-arguments.js';

const card = cardOf({
  name: 'example',
  title: 'Example',
  description: 'An example.',
  effect: 'read',
  aliases: { file_path: ['path', 'filePath'] },
  input: z.object({
    file_path: z.string().describe('A path.'),
    count: z.int().optional().describe('How many.'),
    ratio: z.number().optional().describe('A share.'),
    force: z.boolean().optional().describe('Whether.'),
    mode: z.enum(['fast', 'slow']).optional().describe('How.'),
    tags: z.array(z.string()).optional().describe('Words.'),
    either: z.union([z.string(), z.int()]).optional().describe('A word or a number.'),
    edits: z
      .array(z.object({ at: z.int().describe('Where.'), note: z.string().optional().describe('Why.') }))
      .optional()
      .describe('Changes.'),
  }),
});

const decode = (given: unknown): unknown => decodeArguments(given, card, clientAdditions).input;

describe('arguments', () => {
  it.each([
    ['that fit stay as they are', { file_path: 'a', count: 2, tags: ['x'] }, undefined],
    ['in another spelling are renamed', { path: 'a' }, { file_path: 'a' }],
    ['in two spellings keep the proper one', { path: 'b', file_path: 'a' }, { file_path: 'a' }],
    [
      'that the schema does not know are dropped',
      { file_path: 'a', wait_for_previous: true },
      { file_path: 'a' },
    ],
    ['that are null count as left out', { file_path: 'a', count: null }, { file_path: 'a' }],
    ['that are null but required stay null', { file_path: null }, { file_path: null }],
    ['as the text of an integer', { count: '7' }, { count: 7 }],
    ['as the text of a number', { ratio: '-1.5e3' }, { ratio: -1500 }],
    ['as the text of a boolean', { force: 'true' }, { force: true }],
    ['as the text of an array', { tags: '["a","b"]' }, { tags: ['a', 'b'] }],
    ['that are one JSON text as a whole', '{"path":"a","count":"3"}', { file_path: 'a', count: 3 }],
    ['inside of arrays and objects', { edits: [{ at: '3', note: null }] }, { edits: [{ at: 3 }] }],
    ['of an enum in another letter case', { mode: 'FAST' }, { mode: 'fast' }],
    ['that may be a string stay one', { either: '7', file_path: '["x"]' }, undefined],
  ])('%s', (_name, given, expected) => {
    expect(decode(given)).toEqual(expected ?? given);
  });

  it.each([
    ['7.5', 'count'],
    ['07', 'count'],
    [' 7', 'count'],
    ['9007199254740993', 'count'],
    ['NaN', 'ratio'],
    ['Infinity', 'ratio'],
    ['yes', 'force'],
    ['{"a":1}', 'tags'],
    ['[1', 'tags'],
    ['medium', 'mode'],
  ])('the text %j for %s is left for the schema to refuse', (text, name) => {
    expect(decode({ [name]: text })).toEqual({ [name]: text });
  });

  it('that are missing are an empty object', () => {
    expect(decode(undefined)).toEqual({});
    expect(decode(null)).toEqual({});
  });

  it('that are not an object are left unchanged', () => {
    expect(decode([1])).toEqual([1]);
    expect(decode('word')).toBe('word');
  });

  it('named like inherited properties are ordinary arguments', () => {
    const given = JSON.parse('{"__proto__":{"x":1},"constructor":1,"file_path":"a"}') as unknown;
    expect(decode(given)).toEqual({ file_path: 'a' });
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });
});

describe('[16.17] unknown arguments', () => {
  const unknown = (given: unknown): readonly string[] =>
    decodeArguments(given, card, clientAdditions).unknown;

  it.each<[unknown, readonly string[]]>([
    [{ file_path: 'a', wait_for_previous: true }, []],
    [{ path: 'a', edits: [{ at: 1 }] }, []],
    [{ flie_path: 'a' }, ['"flie_path" (did you mean "file_path"?)']],
    [{ filePth: 'a' }, ['"filePth" (did you mean "file_path"?)']],
    [{ edits: [{ at: 1 }, { nota: 'x' }] }, ['"edits[1].nota" (did you mean "note"?)']],
    [{ constructor: 1 }, ['"constructor"']],
    [{ ['x'.repeat(500)]: 1 }, [`"${'x'.repeat(100)}"`]],
  ])('in %j are named', (given, expected) => {
    expect(unknown(given)).toEqual(expected);
  });

  it('are counted beyond the first eight', () => {
    const many = Object.fromEntries(Array.from({ length: 700_000 }, (_, i) => [`odd${String(i)}`, 1]));
    expect(unknown(many).slice(8)).toEqual(['992 or more others']);
    const few = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`odd${String(i)}`, 1]));
    expect(unknown(few).slice(8)).toEqual(['12 more']);
  });
});
