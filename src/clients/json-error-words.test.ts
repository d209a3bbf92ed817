import { expect, it } from 'vitest';
import { jsonDocument } from './json-document.js';
import { jsonErrorWords } from './json-error-words.js';

it('has words for every error that the parser has a name for', () => {
  const expected = ['PropertyName', 'Value', 'Colon', 'Comma', 'CloseBrace', 'CloseBracket', 'EndOfFile'];
  const invalid = ['Symbol', 'NumberFormat', 'CommentToken', 'Unicode', 'EscapeCharacter', 'Character'];
  const names = [
    ...expected.map((what) => `${what}Expected`),
    ...invalid.map((what) => `Invalid${what}`),
    ...['Comment', 'String', 'Number'].map((what) => `UnexpectedEndOf${what}`),
  ];
  expect(names.filter((name) => jsonErrorWords(name) === name)).toEqual([]);
  expect(jsonErrorWords('SomethingNew')).toBe('SomethingNew');
});

it.each([
  ['{ mcpServers: {} }', 'line 1: a word that JSON does not know: texts stand in double quotes'],
  ['{\n  "a": 1\n  "b": 2 }', 'line 3: a comma is expected'],
  ['{\n  "a" 1 }', 'line 2: a colon is expected after the name'],
  ['{ "a": ', 'line 1: a value is expected'],
  ['{ "a": 1', 'line 1: a closing brace } is expected'],
  ['{ "a": "b', 'line 1: a text has no closing quote'],
  ['{ "path": "C:\\x" }', 'line 1: a backslash stands before a sign that it cannot escape'],
  ['{ 1: 2 }', 'line 1: a name in double quotes is expected'],
])('says what is wrong with %j', (text, said) => {
  expect(() => jsonDocument.parse(text)).toThrow(said);
});
