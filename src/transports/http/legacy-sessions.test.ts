import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { callerOf, ada as adaHerself, openHall } from '../../../test/support/gateway.js';
import { createKeptLine } from '../../../test/support/reply-line.js';
import { type Caller, content, type Outcome } from '../../core/index.js';
import { emptyObject } from '../../lib/json-text.js';
import { readFrame } from '../../lib/json-rpc.js';
import { createFakeProvider } from '../../testing/index.js';
import { createWireCommon } from '../identity.js';
import { openLegacySessions } from './legacy-sessions.js';

const minutes = 60_000;
const ada = callerOf(adaHerself, 'token:one');
const operator: Caller = {
  ...ada,
  chain: [{ principal: adaHerself, rights: 'all' }],
  credential: 'operator',
};
const named = (id: string): Caller => callerOf({ ...adaHerself, id }, `token:${id}`);
const eve = callerOf({ ...adaHerself, id: 'eve' }, 'token:eve');

function open() {
  let at = 0;
  const provider = createFakeProvider('one', {
    hang: () => new Promise<Outcome>(() => {}),
    quick: () => content(emptyObject),
  });
  const left: string[] = [];
  const sessions = openLegacySessions(
    openHall({ providers: [provider], onLeave: ({ id }) => left.push(id) }),
    createWireCommon('1', 'r'),
    () => at,
  );
  return {
    sessions,
    left,
    pass(ms: number) {
      at += ms;
    },
  };
}

describe('the sessions of stateful clients', () => {
  it('have unguessable ids of visible characters', () => {
    const { sessions } = open();
    const ids = Array.from({ length: 100 }, () => sessions.create(ada)?.id ?? '');
    expect(new Set(ids).size).toBe(100);
    for (const id of ids) expect(id).toMatch(/^[\x21-\x7e]{32,}$/);
  });

  it('belong to the caller that opened them', () => {
    const { sessions } = open();
    const id = sessions.create(ada)?.id ?? '';
    expect(sessions.find(id, ada)?.id).toBe(id);
    expect(sessions.find(id, eve)).toBeUndefined();
    // Another token of the same principal is a different caller.
    expect(sessions.find(id, callerOf(adaHerself, 'token:two'))).toBeUndefined();
    expect(sessions.end(id, eve)).toBe(false);
    expect(sessions.end(id, ada)).toBe(true);
    expect(sessions.size).toBe(0);
  });

  it('end when the credential that opened them becomes invalid', () => {
    const { sessions } = open();
    const [id, other] = [sessions.create(ada)?.id ?? '', sessions.create(eve)?.id ?? ''];
    sessions.endVoid((credential) => credential !== 'token:one');
    expect(sessions.find(id, ada)).toBeUndefined();
    expect(sessions.find(other, eve)).toBeDefined();
  });

  it('end after half an hour without use', () => {
    const { sessions, pass } = open();
    const id = sessions.create(ada)?.id ?? '';
    pass(29 * minutes);
    sessions.tend();
    expect(sessions.find(id, ada)).toBeDefined();
    pass(30 * minutes);
    sessions.tend();
    expect(sessions.size).toBe(1);
    pass(1);
    sessions.tend();
    expect(sessions.size).toBe(0);
  });

  it('are reported to the gateway when they end for any reason', () => {
    const { sessions, pass, left } = open();
    const [one = '', two = '', three = ''] = [1, 2, 3].map(() => sessions.create(ada)?.id ?? '');
    sessions.end(one, eve);
    expect(left).toEqual([]);
    sessions.end(one, ada);
    sessions.end(one, ada);
    expect(left).toEqual([one]);
    pass(20 * minutes);
    sessions.find(three, ada);
    pass(11 * minutes);
    sessions.tend();
    expect(left).toEqual([one, two]);
    sessions.close();
    expect(left).toEqual([one, two, three]);
  });

  it('do not end during a call', async () => {
    const { sessions, pass } = open();
    const session = sessions.create(ada);
    const request = new IncomingMessage(new Socket());
    const hello = createKeptLine();
    session?.peer.receive(
      readFrame('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}'),
      hello,
      request,
    );
    await hello.over;
    session?.peer.receive(
      readFrame('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"hang"}}'),
      createKeptLine(),
      request,
    );
    pass(60 * minutes);
    sessions.tend();
    expect(sessions.size).toBe(1);
    sessions.close();
    expect(sessions.size).toBe(0);
  });

  it('are two thousand at most: the longest idle one is closed for a new one', () => {
    const { sessions, pass } = open();
    const first = sessions.create(ada)?.id ?? '';
    pass(1);
    const second = sessions.create(ada)?.id ?? '';
    pass(1);
    for (let n = 2; n < 1000; n += 1) sessions.create(named(`p${String(n)}`));
    for (let n = 1000; n < 2000; n += 1) sessions.create(operator);
    pass(1);
    sessions.find(first, ada);
    expect(sessions.create(named('late'))).toBeDefined();
    expect(sessions.create(operator)).toBeDefined();
    expect(sessions.size).toBe(2000);
    expect(sessions.find(first, ada)).toBeDefined();
    expect(sessions.find(second, ada)).toBeUndefined();
  });

  it('of one principal replace each other, never those of other principals, with any number of tokens', () => {
    const { sessions, pass } = open();
    const others = named('bob');
    const idle = sessions.create(others)?.id ?? '';
    pass(1);
    const mine = sessions.create({ ...ada, credential: 'token:0' })?.id ?? '';
    pass(1);
    for (let n = 1; n < 2500; n += 1) sessions.create({ ...ada, credential: `token:${String(n % 8)}` });
    expect(sessions.find(idle, others)).toBeDefined();
    expect(sessions.find(mine, { ...ada, credential: 'token:0' })).toBeUndefined();
    expect(sessions.size).toBeLessThanOrEqual(1001);
    expect(sessions.create(others)).toBeDefined();
  });

  it('are limited to five hundred per token, so that it cannot use up the places of others', () => {
    const { sessions, pass } = open();
    const mine = { ...ada, credential: 'token:mine' };
    const first = sessions.create(mine)?.id ?? '';
    pass(1);
    for (let n = 1; n < 600; n += 1) sessions.create(mine);
    expect(sessions.size).toBe(500);
    expect(sessions.find(first, mine)).toBeUndefined();
    for (let n = 0; n < 600; n += 1) sessions.create(operator);
    expect(sessions.size).toBe(1100);
  });
});
