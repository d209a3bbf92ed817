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
    // The interruption must arrive first, or the answer would count as no.
    expect(await asked.then((text) => [text, wasInterrupted])).toEqual([answer, isInterrupted]);
  });

  it.each([
    [true, 'Value: \n'],
    [false, 'hunter2'],
  ])('shows what is typed, unless it is hidden (%s)', async (isHidden, shown) => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    let seen = '';
    output.on('data', (part: Buffer) => (seen += part.toString('utf8')));
    const asked = ask('Value: ', input, output, () => undefined, isHidden);
    for (const key of 'hunter2\r') input.write(key);
    expect(await asked).toBe('hunter2');
    expect(seen.includes('hunter2')).toBe(!isHidden);
    expect(seen).toContain(shown);
  });
});
