import { expect, it } from 'vitest';
import type { ExecuteResponse } from '../../plugin-protocol/index.js';
import { outcomeOf } from './execute-result.js';

function resultOf(more: Partial<ExecuteResponse>): string {
  const answer = { success: true, output: '', data: new Map(), error: '', ...more };
  const outcome = outcomeOf('p_o', answer, (text) => text.replaceAll('my secret', '[redacted]'));
  return outcome.kind === 'content' ? outcome.result.text : JSON.stringify(outcome);
}
const bytes = (text: string): Uint8Array => Buffer.from(text);

it('keeps the values of a result as text', () => {
  const data = new Map([
    ['n', bytes('12345678901234567890.10')],
    ['output', bytes('"of data"')],
  ]);
  expect(resultOf({ output: 'words', data })).toBe(
    '{"content":[{"type":"text","text":"{\\"output\\":\\"of data\\",\\"n\\":12345678901234567890.10}"}],"structuredContent":{"output":"of data","n":12345678901234567890.10}}',
  );
});

it('turns an empty result into an empty object', () => {
  expect(resultOf({})).toBe('{"content":[{"type":"text","text":"{}"}],"structuredContent":{}}');
});

it('treats bytes that are not JSON as text', () => {
  expect(
    JSON.parse(
      resultOf({
        data: new Map([
          ['a', bytes('{x')],
          ['b', new Uint8Array(0)],
        ]),
      }),
    ),
  ).toMatchObject({
    structuredContent: { a: '{x', b: '' },
  });
});

it('returns only the reason of a failure without data', () => {
  const result = resultOf({ success: false, error: 'the disk is full' });
  expect(JSON.parse(result)).toEqual({
    content: [{ type: 'text', text: 'the disk is full' }],
    structuredContent: {},
    isError: true,
  });
});

it('treats any sign of failure as a failure', () => {
  expect(JSON.parse(resultOf({ success: false }))).toMatchObject({ isError: true });
  expect(JSON.parse(resultOf({ error: 'late' }))).toMatchObject({
    isError: true,
    content: [{ text: 'late' }],
  });
});

it('refuses a result that is too large', () => {
  expect(resultOf({ output: 'x'.repeat(20 * 1024 * 1024) })).toContain('too_large');
});

it('reports a failure without secrets of the operator, and does not change results', () => {
  const text = resultOf({ success: false, output: 'my secret', error: 'bad my secret!' });
  expect(text).not.toContain('my secret');
  expect(text).toContain('bad [redacted]!');
  expect(resultOf({ output: 'my secret' })).toContain('my secret');
});
