import { PassThrough } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { ask } from './ask.js';

describe('ask', () => {
  it.each([
    ['an answer', 'yes\r', 'yes', false],
    ['Ctrl+C', '\u0003', '', true],
    ['Ctrl+C after half an answer', 'y\u0003', '', true],
    ['Ctrl+D', '\u0004', '', false],
  ])('takes %s', async (_what, typed, answer, isInterrupted) => {
    const input = new PassThrough();
    let wasInterrupted = false;
    const asked = ask('Well? ', input, new PassThrough().resume(), () => {
      wasInterrupted = true;
    });
    input.write(typed);
    // The answer comes after the interruption, or its asker would take it for a no.
    expect(await asked.then((text) => [text, wasInterrupted])).toEqual([answer, isInterrupted]);
  });
});
