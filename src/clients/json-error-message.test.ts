import { expect, it } from 'vitest';
import { jsonDocument } from './json-document.js';
import { jsonErrorMessage } from './json-error-message.js';

it('has a message for every parser error', () => {
  const expected = ['PropertyName', 'Value', 'Colon', 'Comma', 'CloseBrace', 'CloseBracket', 'EndOfFile'];
  const invalid = ['Symbol', 'NumberFormat', 'CommentToken', 'Unicode', 'EscapeCharacter', 'Character'];
  const names = [
    ...expected.map((what) => `${what}Expected`),
    ...invalid.map((what) => `Invalid${what}`),
    ...['Comment', 'String', 'Number'].map((what) => `UnexpectedEndOf${what}`),
  ];
  expect(names.filter((name) => jsonErrorMessage(name) === name)).toEqual([]);
  expect(jsonErrorMessage('SomethingNew')).toBe('SomethingNew');
});

it.each([
  ['{ mcpServers: {} }', 'line 1: invalid token: strings need double quotes'],
  ['{\n  "a": 1\n  "b": 2 }', 'line 3: expected a comma'],
  ['{\n  "a" 1 }', 'line 2: expected a colon after the name'],
  ['{ "a": ', 'line 1: expected a value'],
  ['{ "a": 1', 'line 1: expected a closing brace }'],
  ['{ "a": "b', 'line 1: unterminated string'],
  ['{ "path": "C:\\x" }', 'line 1: invalid escape'],
  ['{ 1: 2 }', 'line 1: expected a name in double quotes'],
])('describes the error in %j', (text, said) => {
  expect(() => jsonDocument.parse(text)).toThrow(said);
});
