import { describe, expect, it } from 'vitest';
import { recordExchange } from '../../../test/support/upstream-calls.js';
import type { Answer, Question } from '../../core/index.js';
import { JsonText } from '../../lib/json-text.js';
import { lendTurn, type LentTurn } from './lent-turn.js';
import type { Clock } from './options.js';
import { createTurns, type Taker, type Turns } from './turns.js';

const question: Question = { method: 'elicitation/create', params: new JsonText('{}') };
const answer: Answer = { kind: 'answer', result: new JsonText('{}') };

describe('a turn while a question is open', () => {
  it('goes to others if the answer takes long, and returns before the call continues', async () => {
    const { turns, clock, tick } = openTurns();
    const asked = openAnswer();
    const turn = await take(turns, clock, asked.promise);
    const asking = turn.exchange.ask(question);
    const order: string[] = [];
    const other = turns.take(taker('other'), new AbortController().signal).then((end) => {
      order.push('other');
      return end;
    });
    tick(1001);
    const endOther = await other;
    asked.resolve(answer);
    const back = asking.then(() => order.push('asked'));
    await settled();
    expect(order).toEqual(['other']);
    if (typeof endOther === 'function') endOther();
    await back;
    expect(order).toEqual(['other', 'asked']);
    turn.end();
    expect(typeof (await turns.take(taker('third'), new AbortController().signal))).toBe('function');
  });

  it('stays with the call if the answer arrives at once', async () => {
    const { turns, clock, tick } = openTurns();
    const turn = await take(turns, clock, Promise.resolve(answer));
    await turn.exchange.ask(question);
    tick(5000);
    let isIn = false;
    void turns.take(taker('other'), new AbortController().signal).then(() => (isIn = true));
    await settled();
    expect(isIn).toBe(false);
    turn.end();
    await settled();
    expect(isIn).toBe(true);
  });

  it('is returned if the call ends before the answer', async () => {
    const { turns, clock, tick } = openTurns();
    const asked = openAnswer();
    const turn = await take(turns, clock, asked.promise);
    const asking = turn.exchange.ask(question);
    tick(1001);
    turn.end();
    asked.resolve(answer);
    await asking;
    expect(typeof (await turns.take(taker('other'), new AbortController().signal))).toBe('function');
  });
});

const taker = (name: string): Taker => ({ client: name, principal: name });

async function take(turns: Turns, clock: Clock, answered: Promise<Answer>): Promise<LentTurn> {
  const { exchange } = recordExchange({ answer: () => answered });
  const end = await turns.take(taker('one'), new AbortController().signal);
  if (typeof end !== 'function') throw new Error(end.message);
  return lendTurn({ turns, clock, taker: taker('one'), exchange, end });
}

function openAnswer(): { readonly promise: Promise<Answer>; resolve(answer: Answer): void } {
  let settle: (answer: Answer) => void = () => undefined;
  const promise = new Promise<Answer>((resolve) => {
    settle = resolve;
  });
  return { promise, resolve: (given) => settle(given) };
}

function openTurns(): { readonly turns: Turns; readonly clock: Clock; tick(ms: number): void } {
  let now = 0;
  let timers: { readonly at: number; readonly run: () => void }[] = [];
  const clock: Clock = {
    now: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run };
      timers.push(timer);
      return () => {
        timers = timers.filter((other) => other !== timer);
      };
    },
  };
  return {
    clock,
    turns: createTurns('server', clock, 60_000),
    tick(ms) {
      now += ms;
      const due = timers.filter(({ at }) => at <= now);
      timers = timers.filter(({ at }) => at > now);
      for (const { run } of due) run();
    },
  };
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
}
