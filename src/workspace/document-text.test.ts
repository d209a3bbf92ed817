import { describe, expect, it } from 'vitest';
import { formatDocument, parseDocument } from './document-text.js';

describe('a document', () => {
  it('is read from YAML and JSON alike', () => {
    const document = {
      format: 1,
      tuples: [{ user: 'role:a#member', condition: { context: { until: '2030-01-01' } } }],
    };
    expect(parseDocument(formatDocument(document))).toEqual(document);
    expect(parseDocument(JSON.stringify(document))).toEqual(document);
    expect(parseDocument('a: &x [1]\nb: *x\n')).toEqual({ a: [1], b: [1] });
    expect(parseDocument('')).toEqual({});
  });

  it.each([
    ['tests:\n  - can: [Read\n', /^line \d+: /],
    ['a: 1\na: 2\n', /^line 2: /],
    ['can: [! Bash]\n', /^line 1: /],
    ['['.repeat(10_000), /^line 1: /],
    ['a: *gone\n', /^line 1: /],
  ])('with a syntax error is reported with its line: %j', (text, message) => {
    expect(() => parseDocument(text)).toThrow(SyntaxError);
    expect(() => parseDocument(text)).toThrow(message);
  });

  it('treats __proto__ as an ordinary key', () => {
    const read = parseDocument('__proto__: { polluted: true }\n');
    expect(Object.keys(read as object)).toEqual(['__proto__']);
    expect({}).not.toHaveProperty('polluted');
  });
});
