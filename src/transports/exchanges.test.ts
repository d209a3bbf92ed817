import { describe, expect, it } from 'vitest';
import { createKeptLine } from '../../test/support/reply-line.js';
import { createCancellation } from '../lib/cancellation.js';
import { JsonText } from '../lib/json-text.js';
import { type LogLevel, logLevels, type Question } from '../core/index.js';
import { createExchange } from './exchanges.js';
import type { ReplyLine } from './framing/reply-line.js';

const withToken = '{"_meta":{"progressToken":9007199254740993}}';

interface Changes {
  readonly params?: JsonText;
  readonly line?: ReplyLine;
  readonly logLevel?: LogLevel | 'none';
}

function open({ params = new JsonText(withToken), line: given, logLevel = 'warning' }: Changes = {}) {
  const line = createKeptLine();
  const caller = createCancellation();
  const asked: Question[] = [];
  const request = { line: given ?? line, caller };
  const exchange = createExchange(params, request, {
    client: {
      protocol: 'legacy',
      protocolVersion: '2025-11-25',
      capabilities: new JsonText('{"elicitation":{},"sampling":null,"roots":true}'),
    },
    logLevel: logLevel === 'none' ? undefined : logLevel,
    asking: 'live',
    ask: (question) => {
      asked.push(question);
      return Promise.resolve({ kind: 'answer', result: JsonText.from({ action: 'accept' }) });
    },
  });
  return { exchange, hangUp: () => exchange.hangUp(), line, caller, asked };
}

describe('the exchange with a caller', () => {
  it("sends progress under the caller's token, with everything else unchanged", () => {
    const texts: string[] = [];
    const { exchange } = open({
      line: {
        send: (text) => texts.push(text) > 0,
        tell: () => {},
        end: () => {},
        drop: () => {},
      },
    });
    exchange.progress(new JsonText('{"progressToken":"theirs","progress":0.10,"x":12345678901234567890}'));
    expect(texts).toEqual([
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":9007199254740993,"progress":0.10,"x":12345678901234567890}}',
    ]);
  });

  it('sends no progress to a caller that did not ask for it', () => {
    const { exchange, line } = open({ params: new JsonText('{}') });
    expect(exchange.wantsProgress).toBe(false);
    exchange.progress(JsonText.from({ progress: 1 }));
    expect(line.sent).toEqual([]);
  });

  it.each(logLevels)('sends log messages at or above %s', (wanted) => {
    const { exchange, line } = open({ logLevel: wanted });
    for (const level of logLevels) exchange.log(level, JsonText.from({ level }));
    const heard = line.sent.map((message) => (message as { params: { level: LogLevel } }).params.level);
    expect(heard).toEqual(logLevels.slice(logLevels.indexOf(wanted)));
  });

  it('sends no log messages to a caller that did not ask for them', () => {
    const { exchange, line } = open({ logLevel: 'none' });
    exchange.log('emergency', JsonText.from({}));
    expect(line.sent).toEqual([]);
  });

  it('sends nothing after the caller left or after the answer', async () => {
    const first = open();
    first.caller.cancel();
    first.exchange.progress(JsonText.from({}));
    first.exchange.log('error', JsonText.from({}));
    expect(first.line.sent).toEqual([]);
    const second = open();
    second.hangUp();
    second.exchange.progress(JsonText.from({}));
    second.exchange.log('error', JsonText.from({}));
    expect(second.line.sent).toEqual([]);
    const question = { method: 'elicitation/create', params: JsonText.from({}) } as const;
    expect((await second.exchange.ask(question)).kind).toBe('refused');
    expect(second.asked).toEqual([]);
  });

  it('only asks for input that the caller supports', async () => {
    const { exchange, asked } = open();
    const kinds = [];
    for (const method of ['elicitation/create', 'sampling/createMessage', 'roots/list'] as const) {
      kinds.push([
        exchange.canAnswer(method),
        (await exchange.ask({ method, params: JsonText.from({}) })).kind,
      ]);
    }
    expect(kinds).toEqual([
      [true, 'answer'],
      [false, 'refused'],
      [false, 'refused'],
    ]);
    expect(asked.map(({ method }) => method)).toEqual(['elicitation/create']);
  });
});
