import { describe, expect, it } from 'vitest';
import { createLastWords } from './last-words.js';

function told(text: string): string {
  const words = createLastWords();
  for (const line of text.split('\n')) words.push(line);
  return words.told();
}

describe('the last words of a process', () => {
  it('are the error and where it happened, not the version of the runtime', () => {
    const text = `/x/server.js:3
throw new Error('boom');
^

Error: boom
    at Module._compile (node:internal/modules/cjs/loader:1554:14)
    at start (/x/server.js:3:7)

Node.js v20.20.2`;
    expect(told(text)).toBe('Error: boom (/x/server.js:3:7)');
  });

  it('name the line of a mistake of syntax', () => {
    const text = `file:///x/plugin.mjs:2
const = 5;
      ^

SyntaxError: Unexpected token '='
    at compileSourceTextModule (node:internal/modules/esm/utils:346:16)

Node.js v20.20.2`;
    expect(told(text)).toBe("SyntaxError: Unexpected token '=' (/x/plugin.mjs:2)");
  });

  it('find the place that a loader puts below its words', () => {
    const text = `node:internal/process/promises:391
      triggerUncaughtException(err, true /* fromPromise */);
      ^

[Error: ParseError: Unexpected keyword 'const'.
 /x/plugin.ts:2:2]

Node.js v20.20.2`;
    expect(told(text)).toBe("ParseError: Unexpected keyword 'const'. (/x/plugin.ts:2:2)");
  });

  it('are the last lines where nothing looks like an error', () => {
    expect(told('one\ntwo\nthree\nfour\n')).toBe('two / three / four');
    expect(told('')).toBe('');
  });

  it('know the errors of other languages', () => {
    const python =
      'Traceback (most recent call last):\n  File "/x/a.py", line 4, in <module>\n    f()\nValueError: no';
    expect(told(python)).toBe('ValueError: no (/x/a.py:4)');
    expect(told('panic: bad\n\ngoroutine 1 [running]:')).toBe('panic: bad');
  });

  it('hold no more than the end, however much was said', () => {
    const words = createLastWords();
    for (let i = 0; i < 10_000; i += 1) words.push('x'.repeat(10_000));
    expect(words.told().length).toBeLessThan(1_000);
  });
});
