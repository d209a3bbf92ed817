import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { accessFrom, openHall, sessionOf, toolRequest } from '../../test/support/gateway.js';
import {
  type Answer,
  content,
  type Exchange,
  type Outcome,
  type Question,
  type QuestionMethod,
  type Request,
} from '../core/index.js';
import { JsonText } from '../lib/json-text.js';
import {
  createFakeExchange,
  createFakeProvider,
  type FakeExchange,
  type FakeHandler,
} from '../testing/index.js';
import type { Gateway } from './gateway.js';

const question = (method: QuestionMethod, params: unknown = {}): Question => ({
  method,
  params: JsonText.from(params),
});
const nameQuestion = question('elicitation/create', { message: 'Your name?' });

/** A client with protocol version 2026-07-28 that can answer everything. */
function caller(): FakeExchange {
  return createFakeExchange({ asking: 'rounds', answer: () => ({}) });
}

function open(handlers: Readonly<Record<string, FakeHandler>>): Gateway {
  return openHall({ providers: [createFakeProvider('one', handlers)] });
}

function textOf(outcome: Outcome): unknown {
  return outcome.kind === 'content' ? outcome.result.value : outcome;
}

function asksOf(outcome: Outcome): {
  readonly questions: Readonly<Record<string, unknown>>;
  readonly state: string;
} {
  if (outcome.kind !== 'asks') throw new Error(`no question: ${JSON.stringify(outcome)}`);
  return {
    questions: outcome.questions.value as Readonly<Record<string, unknown>>,
    state: outcome.state ?? 'none',
  };
}

function answering(request: Request, state: string, responses: unknown, id = 'request-2'): Request {
  return { ...request, id, resume: { responses: JsonText.from(responses), state } };
}

const greet: FakeHandler = async (_call, exchange) => {
  const answer = await exchange.ask(nameQuestion);
  return content(
    JsonText.from(answer.kind === 'answer' ? { hello: answer.result.value } : { refused: true }),
  );
};

const accept = { action: 'accept', content: { name: 'Ada' } };
const request = toolRequest('greet', { polite: true });
const expired = { kind: 'fault', fault: { code: 'ask.expired' } };

describe('a call that asks in rounds', () => {
  it('is parked with its questions and continues with the answers', async () => {
    const gateway = open({ greet });
    const { questions, state } = asksOf(await gateway.call(request, caller()));
    expect(questions).toEqual({
      'ask-1': { method: 'elicitation/create', params: { message: 'Your name?' } },
    });
    const outcome = await gateway.call(answering(request, state, { 'ask-1': accept }), caller());
    expect(textOf(outcome)).toEqual({ hello: accept });
  });

  it('sends questions that were asked together in one round', async () => {
    const gateway = open({
      greet: async (_call, exchange) => {
        const answers = await Promise.all([
          exchange.ask(nameQuestion),
          exchange.ask(question('sampling/createMessage')),
          exchange.ask(question('roots/list')),
        ]);
        return content(JsonText.from(answers.map((answer) => answer.kind)));
      },
    });
    const { questions, state } = asksOf(await gateway.call(request, caller()));
    expect(Object.keys(questions)).toEqual(['ask-1', 'ask-2', 'ask-3']);
    const responses = {
      'ask-1': accept,
      'ask-2': { role: 'assistant', content: [] },
      'ask-3': { roots: [] },
    };
    const outcome = await gateway.call(answering(request, state, responses), caller());
    expect(textOf(outcome)).toEqual(['answer', 'answer', 'answer']);
  });

  it('may ask again, with a new state each time', async () => {
    const gateway = open({
      greet: async (_call, exchange) => {
        await exchange.ask(nameQuestion);
        await exchange.ask(nameQuestion);
        return content(JsonText.from('done'));
      },
    });
    const first = asksOf(await gateway.call(request, caller()));
    const second = asksOf(await gateway.call(answering(request, first.state, { 'ask-1': accept }), caller()));
    expect(Object.keys(second.questions)).toEqual(['ask-2']);
    expect(second.state).not.toBe(first.state);
    const last = await gateway.call(answering(request, second.state, { 'ask-2': accept }), caller());
    expect(textOf(last)).toBe('done');
  });

  it.each<[string, QuestionMethod, unknown]>([
    ['no answer at all', 'elicitation/create', {}],
    ['an answer to something else', 'elicitation/create', { other: accept }],
    ['null', 'elicitation/create', { 'ask-1': null }],
    ['a string', 'elicitation/create', { 'ask-1': 'yes' }],
    ['no action', 'elicitation/create', { 'ask-1': { content: {} } }],
    ['an action that is not a string', 'elicitation/create', { 'ask-1': { action: 1 } }],
    ['roots that are not an array', 'roots/list', { 'ask-1': { roots: {} } }],
    ['an empty message', 'sampling/createMessage', { 'ask-1': {} }],
    ['an array', 'sampling/createMessage', { 'ask-1': [] }],
  ])('asks again when it gets %s', async (_name, method, responses) => {
    const gateway = open({
      greet: async (_call, exchange) => content(JsonText.from((await exchange.ask(question(method))).kind)),
    });
    const first = asksOf(await gateway.call(request, caller()));
    const again = asksOf(await gateway.call(answering(request, first.state, responses), caller()));
    expect(again.questions).toEqual(first.questions);
    const right: Readonly<Record<QuestionMethod, unknown>> = {
      'elicitation/create': accept,
      'roots/list': { roots: [] },
      'sampling/createMessage': { role: 'assistant', content: { type: 'text', text: 'x' } },
    };
    const outcome = await gateway.call(answering(request, again.state, { 'ask-1': right[method] }), caller());
    expect(textOf(outcome)).toBe('answer');
  });

  it('asks again only what was not answered', async () => {
    const gateway = open({
      greet: async (_call, exchange) => {
        await Promise.all([exchange.ask(nameQuestion), exchange.ask(nameQuestion)]);
        return content(JsonText.from('done'));
      },
    });
    const first = asksOf(await gateway.call(request, caller()));
    const again = asksOf(
      await gateway.call(answering(request, first.state, { 'ask-2': accept, x: 1 }), caller()),
    );
    expect(Object.keys(again.questions)).toEqual(['ask-1']);
  });

  it('keeps an answer as written', async () => {
    const texts: string[] = [];
    const gateway = open({
      greet: async (_call, exchange) => {
        const answer = await exchange.ask(nameQuestion);
        if (answer.kind === 'answer') texts.push(answer.result.text);
        return content(JsonText.from('done'));
      },
    });
    const { state } = asksOf(await gateway.call(request, caller()));
    const exact = '{ "action" : "accept", "content":{"n":12345678901234567890} }';
    const resume = { responses: new JsonText(`{"ask-1":${exact}}`), state };
    await gateway.call({ ...request, resume }, caller());
    expect(texts).toEqual([exact]);
  });

  it('sends progress to the latest request, and none while it is parked', async () => {
    let live: Exchange | undefined;
    const gateway = open({
      greet: async (_call, exchange) => {
        live = exchange;
        exchange.progress(JsonText.from({ at: 1 }));
        await exchange.ask(nameQuestion);
        exchange.progress(JsonText.from({ at: 3 }));
        return content(JsonText.from('done'));
      },
    });
    const [first, second] = [caller(), caller()];
    const { state } = asksOf(await gateway.call(request, first));
    live?.progress(JsonText.from({ at: 2 }));
    live?.log('error', JsonText.from({ at: 2 }));
    await gateway.call(answering(request, state, { 'ask-1': accept }), second);
    expect(first.sent.progress.map(({ value }) => value)).toEqual([{ at: 1 }]);
    expect(first.sent.logs).toEqual([]);
    expect(second.sent.progress.map(({ value }) => value)).toEqual([{ at: 3 }]);
  });

  it('does not ask for input that the caller does not support', async () => {
    const gateway = open({ greet });
    const outcome = await gateway.call(request, createFakeExchange({ asking: 'rounds' }));
    expect(textOf(outcome)).toEqual({ refused: true });
  });
});

describe('the state of a parked call', () => {
  it('can be used once', async () => {
    const gateway = open({ greet });
    const { state } = asksOf(await gateway.call(request, caller()));
    await gateway.call(answering(request, state, { 'ask-1': accept }), caller());
    expect(await gateway.call(answering(request, state, { 'ask-1': accept }), caller())).toMatchObject(
      expired,
    );
  });

  it('can be used by one of two concurrent requests', async () => {
    const gateway = open({ greet });
    const { state } = asksOf(await gateway.call(request, caller()));
    const both = await Promise.all([
      gateway.call(answering(request, state, { 'ask-1': accept }, 'a'), caller()),
      gateway.call(answering(request, state, { 'ask-1': accept }, 'b'), caller()),
    ]);
    expect(both.map(({ kind }) => kind).sort()).toEqual(['content', 'fault']);
  });

  it('cannot be used by another session of the same principal', async () => {
    const gateway = open({ greet });
    const { state } = asksOf(await gateway.call(request, caller()));
    const other = { ...answering(request, state, { 'ask-1': accept }), session: sessionOf('session-2') };
    expect(await gateway.call(other, caller())).toMatchObject(expired);
    const own = await gateway.call(answering(request, state, { 'ask-1': accept }), caller());
    expect(textOf(own)).toEqual({ hello: accept });
  });

  it('cannot be used with other arguments, and the parked call stays', async () => {
    const gateway = open({ greet });
    const { state } = asksOf(await gateway.call(request, caller()));
    const other = answering(toolRequest('greet', { polite: false }), state, { 'ask-1': accept });
    expect(await gateway.call(other, caller())).toMatchObject({ fault: { code: 'ask.forged' } });
    const own = await gateway.call(answering(request, state, { 'ask-1': accept }), caller());
    expect(textOf(own)).toEqual({ hello: accept });
  });

  it('cannot be used if the target is hidden meanwhile', async () => {
    let isHidden = false;
    const gateway = openHall({
      providers: [createFakeProvider('one', { greet })],
      access: accessFrom(() => ({ visible: !isHidden, callable: !isHidden })),
    });
    const { state } = asksOf(await gateway.call(request, caller()));
    isHidden = true;
    const outcome = await gateway.call(answering(request, state, { 'ask-1': accept }), caller());
    expect(outcome).toMatchObject({ fault: { code: 'tool.not_found' } });
  });

  it('is refused after a restart of the gateway', async () => {
    const { state } = asksOf(await open({ greet }).call(request, caller()));
    const outcome = await open({ greet }).call(answering(request, state, { 'ask-1': accept }), caller());
    expect(outcome).toMatchObject({ fault: { code: 'ask.forged' } });
  });
});

describe('a caller that cancels', () => {
  it('ends the call at once, even if its target never ends', async () => {
    const signals: AbortSignal[] = [];
    const gateway = open({
      greet: (_call, exchange) => {
        signals.push(exchange.signal);
        return new Promise(() => {});
      },
    });
    const exchange = caller();
    const outcome = gateway.call(request, exchange);
    await new Promise((resolve) => setImmediate(resolve));
    exchange.cancel();
    expect(await outcome).toMatchObject({ fault: { code: 'call.cancelled' } });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  it('in a later round ends the call too', async () => {
    const answers: Answer[] = [];
    let signal: AbortSignal | undefined;
    const gateway = open({
      greet: async (_call, exchange) => {
        ({ signal } = exchange);
        answers.push(await exchange.ask(nameQuestion));
        return new Promise(() => {});
      },
    });
    const { state } = asksOf(await gateway.call(request, caller()));
    const second = caller();
    const outcome = gateway.call(answering(request, state, { 'ask-1': accept }), second);
    await vi.waitFor(() => expect(answers).toHaveLength(1));
    second.cancel();
    expect(await outcome).toMatchObject({ fault: { code: 'call.cancelled' } });
    expect(signal?.aborted).toBe(true);
  });

  it('with the id of an earlier, finished request cancels nothing', async () => {
    const gateway = open({ greet });
    const first = caller();
    const { state } = asksOf(await gateway.call(request, first));
    first.cancel();
    const outcome = await gateway.call(answering(request, state, { 'ask-1': accept }), caller());
    expect(textOf(outcome)).toEqual({ hello: accept });
  });

  it('at the moment of the question leaves nothing parked', async () => {
    const exchange = caller();
    const gateway = open({
      greet: async (_call, live) => {
        const answer = live.ask(nameQuestion);
        exchange.cancel();
        return content(JsonText.from((await answer).kind));
      },
    });
    expect(await gateway.call(request, exchange)).toMatchObject({ fault: { code: 'call.cancelled' } });
  });

  it('before the call begins keeps it from reaching the provider', async () => {
    const provider = createFakeProvider('one', { greet });
    const exchange = caller();
    exchange.cancel();
    const outcome = await openHall({ providers: [provider] }).call(request, exchange);
    expect(outcome).toMatchObject({ fault: { code: 'call.cancelled' } });
    expect(provider.calls).toEqual([]);
  });
});

describe('parked calls are bounded', () => {
  it('at 64 per session, and further calls fail', async () => {
    const endings: Answer['kind'][] = [];
    const gateway = open({
      greet: async (_call, exchange) => {
        const answer = await exchange.ask(nameQuestion);
        endings.push(answer.kind);
        return content(JsonText.from(answer.kind));
      },
    });
    const outcomes = Array.from({ length: 64 }, () => gateway.call(request, caller()));
    const parked = (await Promise.all(outcomes)).map((outcome) => asksOf(outcome).state);
    const refused = await gateway.call(request, caller());
    expect(refused).toMatchObject({ fault: { code: 'call.too_many' } });
    await expect.poll(() => endings).toEqual(['refused']);
    // Another session has its own places, and an answered call frees one.
    const other = { ...request, session: sessionOf('session-2') };
    expect((await gateway.call(other, caller())).kind).toBe('asks');
    await gateway.call(answering(request, parked[0] ?? '', { 'ask-1': accept }), caller());
    expect((await gateway.call(request, caller())).kind).toBe('asks');
  });

  it('at 16 MiB of params for one session', async () => {
    const gateway = open({ greet });
    const params = JsonText.from({ ...(request.params.value as object), pad: 'x'.repeat(6 * 1024 * 1024) });
    const call = () => gateway.call({ ...request, params }, caller());
    const parked = [await call(), await call()] as const;
    expect(parked.map(({ kind }) => kind)).toEqual(['asks', 'asks']);
    expect(await call()).toMatchObject({ fault: { code: 'call.too_many' } });
    // A short resumption that answers nothing does not make room: the call keeps the params it began with.
    const [first] = parked;
    expect((await gateway.call(answering(request, asksOf(first).state, {}), caller())).kind).toBe('asks');
    expect(await call()).toMatchObject({ fault: { code: 'call.too_many' } });
    // Short ones still fit, and so do those of other sessions.
    expect((await gateway.call(request, caller())).kind).toBe('asks');
    expect((await gateway.call({ ...request, params, session: sessionOf('session-2') }, caller())).kind).toBe(
      'asks',
    );
  });

  it('at 1000 for all sessions together', async () => {
    const gateway = open({ greet });
    const outcomes = Array.from({ length: 1000 }, (_, at) =>
      gateway.call({ ...request, session: sessionOf(`session-${at % 20}`) }, caller()),
    );
    expect(new Set((await Promise.all(outcomes)).map(({ kind }) => kind))).toEqual(new Set(['asks']));
    const late = { ...request, session: sessionOf('session-late') };
    expect(await gateway.call(late, caller())).toMatchObject({ fault: { code: 'call.too_many' } });
  });
});

describe('a caller that never returns', () => {
  beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
  afterEach(() => vi.useRealTimers());

  /** Questions wait a moment for company, so the clock must move for them to go out. */
  async function parkedState(gateway: Gateway): Promise<string> {
    const outcome = gateway.call(request, caller());
    await vi.advanceTimersByTimeAsync(25);
    return asksOf(await outcome).state;
  }

  it('times out after ten minutes: the call is aborted and its state expires', async () => {
    const endings: Answer['kind'][] = [];
    const gateway = open({
      greet: async (_call, exchange) => {
        endings.push((await exchange.ask(nameQuestion)).kind);
        return content(JsonText.from('late'));
      },
    });
    const state = await parkedState(gateway);
    await vi.advanceTimersByTimeAsync(10 * 60_000 - 1);
    expect(endings).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(endings).toEqual(['refused']);
    expect(await gateway.call(answering(request, state, { 'ask-1': accept }), caller())).toMatchObject(
      expired,
    );
    await vi.advanceTimersByTimeAsync(1);
    expect(await gateway.call(answering(request, state, { 'ask-1': accept }), caller())).toMatchObject(
      expired,
    );
  });

  it('does not delay closing the gateway', async () => {
    const endings: Answer['kind'][] = [];
    const gateway = open({
      greet: async (_call, exchange) => {
        endings.push((await exchange.ask(nameQuestion)).kind);
        return content(JsonText.from('late'));
      },
    });
    const state = await parkedState(gateway);
    await gateway.close();
    await vi.advanceTimersByTimeAsync(0);
    expect(endings).toEqual(['refused']);
    expect(vi.getTimerCount()).toBe(0);
    expect(await gateway.call(answering(request, state, { 'ask-1': accept }), caller())).toMatchObject(
      expired,
    );
  });
});
