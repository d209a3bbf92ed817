import { describe, expect, it } from 'vitest';
import { createLastWords } from './last-words.js';

function told(text: string): string {
  const words = createLastWords();
  for (const line of text.split('\n')) words.push(line);
  return words.told();
}

describe('the last output of a process', () => {
  it('contains the error and its location, not the version of the runtime', () => {
    const text = `/x/server.js:3
throw new Error('boom');
^

Error: boom
    at Module._compile (node:internal/modules/cjs/loader:1554:14)
    at start (/x/server.js:3:7)

Node.js v20.20.2`;
    expect(told(text)).toBe('Error: boom (/x/server.js:3:7)');
  });

  it('names the line of a syntax error', () => {
    const text = `file:///x/plugin.mjs:2
const = 5;
      ^

SyntaxError: Unexpected token '='
    at compileSourceTextModule (node:internal/modules/esm/utils:346:16)

Node.js v20.20.2`;
    expect(told(text)).toBe("SyntaxError: Unexpected token '=' (/x/plugin.mjs:2)");
  });

  it('finds the location that a loader prints after the message', () => {
    const text = `node:internal/process/promises:391
      triggerUncaughtException(err, true /* fromPromise */);
      ^

[Error: ParseError: Unexpected keyword 'const'.
 /x/plugin.ts:2:2]

Node.js v20.20.2`;
    expect(told(text)).toBe("ParseError: Unexpected keyword 'const'. (/x/plugin.ts:2:2)");
  });

  it('is the last lines if nothing looks like an error', () => {
    expect(told('one\ntwo\nthree\nfour\n')).toBe('two / three / four');
    expect(told('')).toBe('');
  });

  it('recognizes errors of other languages', () => {
    const python =
      'Traceback (most recent call last):\n  File "/x/a.py", line 4, in <module>\n    f()\nValueError: no';
    expect(told(python)).toBe('ValueError: no (/x/a.py:4)');
    expect(told('panic: bad\n\ngoroutine 1 [running]:')).toBe('panic: bad');
  });

  it('keeps only the end, however much was printed', () => {
    const words = createLastWords();
    for (let i = 0; i < 10_000; i += 1) words.push('x'.repeat(10_000));
    expect(words.told().length).toBeLessThan(1_000);
  });
});
