import { describe, expect, it } from 'vitest';
import { openHall, toolRequest } from '../../test/support/gateway.js';
import { type Call, content, type Outcome, type Question } from '../core/index.js';
import { JsonText } from '../lib/json-text.js';
import { createFakeExchange, createFakeProvider, type FakeHandler } from '../testing/index.js';
import type { Gateway } from './gateway.js';

const asks = (questions: string, state?: string): Outcome => ({
  kind: 'asks',
  questions: new JsonText(questions),
  ...(state !== undefined && { state }),
});
const roots = '{"k":{"method":"roots/list"}}';
const done = content(JsonText.from('done'));
const request = toolRequest('ask');

function open(ask: FakeHandler): Gateway {
  return openHall({ providers: [createFakeProvider('one', { ask })] });
}

describe('a provider that asks in rounds, for a caller that can answer during the call', () => {
  it('gets the answers under its own keys, with its own state', async () => {
    const seen: (Call['answers'] | undefined)[] = [];
    const questions =
      '{"na\\"me":{"method":"elicitation/create","params":{ "n":12345678901234567890 }},"r":{"method":"roots/list"}}';
    const gateway = open((call) => {
      seen.push(call.answers);
      return call.answers === undefined ? asks(questions, 'theirs') : done;
    });
    const exchange = createFakeExchange({ answer: ({ method }) => ({ to: method }) });
    expect(await gateway.call(request, exchange)).toEqual(done);
    expect(exchange.sent.questions.map(({ params }: Question) => params.text)).toEqual([
      '{ "n":12345678901234567890 }',
      '{}',
    ]);
    expect(seen[1]?.state).toBe('theirs');
    expect(seen[1]?.responses.value).toEqual({
      'na"me': { to: 'elicitation/create' },
      r: { to: 'roots/list' },
    });
  });

  it('can ask all its questions at once', async () => {
    const asked: string[] = [];
    const release: (() => void)[] = [];
    const exchange = {
      ...createFakeExchange({ answer: () => ({}) }),
      ask: ({ method }: Question) => {
        asked.push(method);
        return new Promise<{ kind: 'answer'; result: JsonText }>((resolve) => {
          release.push(() => resolve({ kind: 'answer', result: JsonText.from({}) }));
        });
      },
    };
    const both = '{"a":{"method":"roots/list"},"b":{"method":"elicitation/create"}}';
    const outcome = open((call) => (call.answers === undefined ? asks(both) : done)).call(request, exchange);
    await new Promise((resolve) => setImmediate(resolve));
    expect(asked).toEqual(['roots/list', 'elicitation/create']);
    for (const go of release) go();
    expect(await outcome).toEqual(done);
  });

  it('gets another request if it returned only a state', async () => {
    const states: (string | undefined)[] = [];
    const gateway = open((call) => {
      states.push(call.answers?.state);
      return call.answers === undefined ? asks('{}', 'come back') : done;
    });
    expect(await gateway.call(request, createFakeExchange())).toEqual(done);
    expect(states).toEqual([undefined, 'come back']);
  });

  it('is stopped after sixteen rounds', async () => {
    let multiRound = 0;
    const gateway = open(() => {
      multiRound += 1;
      return asks(roots);
    });
    const outcome = await gateway.call(request, createFakeExchange({ answer: () => ({ roots: [] }) }));
    expect(outcome).toMatchObject({ fault: { code: 'ask.too_many' } });
    expect(multiRound).toBe(16);
  });

  it('fails if the caller cannot answer, and names the missing capability', async () => {
    const outcome = await open(() => asks(roots)).call(request, createFakeExchange());
    expect(outcome).toMatchObject({
      fault: { code: 'ask.unsupported', data: { requiredCapabilities: { roots: {} } } },
    });
  });

  it('fails the same way if the caller is asked in rounds', async () => {
    const outcome = await open(() => asks(roots)).call(request, createFakeExchange({ asking: 'rounds' }));
    expect(outcome).toMatchObject({
      fault: { code: 'ask.unsupported', data: { requiredCapabilities: { roots: {} } } },
    });
  });

  it.each(['{"k":{"method":"tools/call"}}', '{"k":{}}', '{"k":5}', '{"k":null}', '{"k":["roots/list"]}'])(
    'is reported as faulty if it asks %s',
    async (questions) => {
      const exchange = createFakeExchange({ answer: () => ({}) });
      const outcome = await open(() => asks(questions)).call(request, exchange);
      expect(outcome).toMatchObject({ fault: { code: 'provider.malformed' } });
      expect(exchange.sent.questions).toEqual([]);
    },
  );

  it('ends with the error of a caller that refuses', async () => {
    const exchange = {
      ...createFakeExchange({ answer: () => ({}) }),
      ask: () =>
        Promise.resolve({ kind: 'refused', error: JsonText.from({ code: -1, message: 'no' }) } as const),
    };
    const outcome = await open(() => asks(roots)).call(request, exchange);
    expect(outcome).toMatchObject({
      fault: { code: 'upstream.error', upstream: { text: '{"code":-1,"message":"no"}' } },
    });
  });
});

describe('a provider that asks in rounds, for a caller that answers in rounds', () => {
  it('has its state sealed on the way out and opened on the way back', async () => {
    const states: (string | undefined)[] = [];
    const gateway = open((call) => {
      states.push(call.answers?.state);
      return call.answers === undefined ? asks(roots, 'their own') : done;
    });
    const exchange = createFakeExchange({ asking: 'rounds', answer: () => ({}) });
    const first = await gateway.call(request, exchange);
    if (first.kind !== 'asks' || first.state === undefined) throw new Error('no state');
    expect(first.questions.text).toBe(roots);
    expect(first.state).not.toContain('their own');
    const resume = { responses: new JsonText('{"k":{"roots":[]}}'), state: first.state };
    expect(await gateway.call({ ...request, resume }, exchange)).toEqual(done);
    expect(states).toEqual([undefined, 'their own']);
  });

  it('sees that the call was admitted and charged earlier', async () => {
    const resumed: boolean[] = [];
    const gateway = open((call) => {
      resumed.push(call.resumed);
      return call.answers === undefined ? asks(roots) : done;
    });
    const exchange = createFakeExchange({ asking: 'rounds', answer: () => ({}) });
    const first = await gateway.call(request, exchange);
    const state = first.kind === 'asks' ? (first.state ?? '') : '';
    await gateway.call({ ...request, resume: { responses: new JsonText('{}'), state } }, exchange);
    expect(resumed).toEqual([false, true]);
  });

  it('does not get a forged state', async () => {
    let calls = 0;
    const gateway = open(() => {
      calls += 1;
      return done;
    });
    const resume = { responses: new JsonText('{}'), state: 'their own' };
    const exchange = createFakeExchange({ asking: 'rounds', answer: () => ({}) });
    const outcome = await gateway.call({ ...request, resume }, exchange);
    expect(outcome).toMatchObject({ fault: { code: 'ask.forged' } });
    expect(calls).toBe(0);
  });
});
