import { describe, expect, it } from 'vitest';
import { readFrame } from '../../../lib/json-rpc.js';
import type { ReplyLine } from '../../framing/reply-line.js';
import { openPushStream } from '../push-stream.js';
import { createRootsQuestion } from './roots-question.js';

function lineThat(canSend: boolean): { readonly line: ReplyLine; readonly sent: string[] } {
  const sent: string[] = [];
  const send = (text: string): boolean => canSend && sent.push(text) > 0;
  return { sent, line: { send, tell: send, end: () => undefined, drop: () => undefined } };
}

describe('the question for roots', () => {
  it('is asked on the stream of the request, and accepts only its own answer', async () => {
    const question = createRootsQuestion(openPushStream(), 60_000);
    const { line, sent } = lineThat(true);
    const answer = question.ask(line);
    expect(sent).toEqual(['{"jsonrpc":"2.0","id":"roots","method":"roots/list"}']);
    question.hear(readFrame('{"jsonrpc":"2.0","id":1,"result":{"roots":["wrong"]}}'));
    question.hear(readFrame('{"jsonrpc":"2.0","id":"roots","result":{"roots":[]}}'));
    expect(await answer).toEqual({ roots: [] });
  });

  it('has no answer if no stream is open', async () => {
    expect(await createRootsQuestion(openPushStream(), 60_000).ask(lineThat(false).line)).toBeUndefined();
  });

  it.each([
    [
      'the client answers with an error',
      60_000,
      '{"jsonrpc":"2.0","id":"roots","error":{"code":-1,"message":"no"}}',
    ],
    ['the request times out', 1, undefined],
  ])('has no answer if %s', async (_, patienceMs, text) => {
    const question = createRootsQuestion(openPushStream(), patienceMs);
    const answer = question.ask(lineThat(true).line);
    if (text !== undefined) question.hear(readFrame(text));
    expect(await answer).toBeUndefined();
  });
});
