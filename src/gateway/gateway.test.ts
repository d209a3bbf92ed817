import { describe, expect, it } from 'vitest';
import {
  accessFrom,
  ada,
  createOpenAccess,
  eve,
  openHall,
  sessionOf,
  toolRequest,
} from '../../test/support/gateway.js';
import {
  type Attempt,
  type Beginning,
  content,
  createFault,
  type Exchange,
  type Stage,
  type Observer,
  type Outcome,
} from '../core/index.js';
import { JsonText } from '../lib/json-text.js';
import { createFakeExchange, createFakeProvider } from '../testing/index.js';

const done = content(JsonText.from({ content: [] }));

function createRecorder(): {
  readonly observer: Observer;
  readonly begun: Beginning[];
  readonly ended: Attempt[];
} {
  const begun: Beginning[] = [];
  const ended: Attempt[] = [];
  const observer: Observer = {
    name: 'recorder',
    begin(request) {
      begun.push(request);
      return (attempt) => void ended.push(attempt);
    },
  };
  return { observer, begun, ended };
}

describe('the gateway', () => {
  it('passes a call to the provider and returns its outcome', async () => {
    const provider = createFakeProvider('one', { echo: () => done });
    const outcome = await openHall({ providers: [provider] }).call(toolRequest('echo'), createFakeExchange());
    expect(outcome).toBe(done);
    expect(provider.calls).toHaveLength(1);
  });

  it.each(['live', 'rounds'] as const)('reports the steps of a call to observers (%s)', async (asking) => {
    const seen: string[] = [];
    const observer: Observer = {
      name: 'steps',
      begin: () => () => undefined,
      step: (_request, name) => {
        seen.push(name);
        return () => seen.push(`${name} ended`);
      },
    };
    const provider = createFakeProvider('one', {
      graph: (_call, exchange) => {
        exchange.step?.('first')();
        return done;
      },
    });
    const gateway = openHall({ providers: [provider], observers: [observer] });
    await gateway.call(toolRequest('graph'), createFakeExchange({ asking }));
    expect(seen).toEqual(['first', 'first ended']);
  });

  it('shows and returns nothing to an unknown caller', async () => {
    const provider = createFakeProvider('one', { echo: () => done });
    const gateway = openHall({ providers: [provider] });
    const session = sessionOf('s', eve);
    expect(gateway.registry.list(session, 'tools')).toEqual([]);
    const outcome = await gateway.call(toolRequest('echo', {}, { session }), createFakeExchange());
    expect(outcome).toMatchObject({ fault: { code: 'tool.not_found' } });
    expect(provider.calls).toEqual([]);
    // The control: its owner sees it.
    expect(gateway.registry.list(sessionOf('s', ada), 'tools')).toHaveLength(1);
  });

  it('fails closed when the access rule throws', async () => {
    const provider = createFakeProvider('one', { echo: () => done });
    const gateway = openHall({
      providers: [provider],
      access: accessFrom(() => {
        throw new Error('store down');
      }),
    });
    const outcome = await gateway.call(toolRequest('echo'), createFakeExchange());
    expect(outcome).toMatchObject({ fault: { code: 'internal' } });
    expect(() => gateway.registry.list(sessionOf(), 'tools')).toThrow('store down');
    expect(provider.calls).toEqual([]);
  });

  it('reports a provider whose parse throws as a bug', async () => {
    const provider = createFakeProvider('one', { echo: () => done });
    const broken = {
      ...provider,
      parse: () => {
        throw new Error('cannot read');
      },
    };
    const outcome = await openHall({ providers: [broken] }).call(toolRequest('echo'), createFakeExchange());
    expect(outcome).toMatchObject({ fault: { code: 'internal' } });
    expect(provider.calls).toEqual([]);
  });

  it('refuses two implementations of one stage when it is opened', () => {
    const pass = (name: string): Stage => ({
      stage: 'limits',
      name,
      handle: (_call, exchange, next) => next(exchange),
    });
    expect(() => openHall({ providers: [], stages: [pass('a'), pass('b')] })).toThrow('a and b');
  });

  it('gives up on a call whose caller left, with either way of asking', async () => {
    const provider = createFakeProvider('one', { hang: () => new Promise<Outcome>(() => {}) });
    const gateway = openHall({ providers: [provider] });
    for (const asking of ['live', 'rounds'] as const) {
      const exchange = createFakeExchange({ asking });
      const outcome = gateway.call(toolRequest('hang'), exchange);
      await new Promise((resolve) => setImmediate(resolve));
      exchange.cancel();
      expect(await outcome).toMatchObject({ fault: { code: 'call.cancelled' } });
    }
  });

  it('leaves no listener on a call that ended', async () => {
    const gateway = openHall({ providers: [createFakeProvider('one', { echo: () => done })] });
    const caller = createFakeExchange();
    let listeners = 0;
    const exchange: Exchange = {
      ...caller,
      onCancel(listener) {
        listeners += 1;
        const stop = caller.onCancel(listener);
        return () => {
          listeners -= 1;
          stop();
        };
      },
    };
    await gateway.call(toolRequest('echo'), exchange);
    expect(listeners).toBe(0);
  });
});

describe('observers', () => {
  it('see a call start and end, with its target, outcome and duration', async () => {
    const { observer, begun, ended } = createRecorder();
    let clock = 100;
    const gateway = openHall({
      providers: [
        createFakeProvider('one', {
          echo: () => {
            clock += 7;
            return done;
          },
        }),
      ],
      observers: [observer],
      now: () => clock,
    });
    const request = toolRequest('echo');
    await gateway.call(request, createFakeExchange());
    const { id, session, client, wanted } = request;
    expect(begun).toMatchObject([{ id, session, client, wanted, kind: 'tool', name: 'echo' }]);
    expect(ended).toMatchObject([{ id, outcome: 'content', ms: 7, provider: 'one', isRefused: false }]);
  });

  it.each([
    ['without secrets', (text: string) => text.replaceAll('hunter2', '…'), 0],
    ['with them, if nothing redacts (control)', (text: string) => text, 4],
  ])('see texts %s', async (_how, redact, found) => {
    const { observer, ended } = createRecorder();
    const broken = (): never => {
      throw new Error('hunter2');
    };
    const providers = [createFakeProvider('one', { hunter2: broken })];
    const gateway = openHall({ providers, observers: [observer], redact, access: createOpenAccess() });
    const session = { ...sessionOf('hunter2'), principal: { ...ada, id: 'hunter2' } };
    await gateway.call(toolRequest('hunter2', {}, { session }), createFakeExchange());
    const texts = ended.flatMap(({ name, sessionId, principal, detail = '' }) => [
      name,
      sessionId,
      principal,
      detail,
    ]);
    expect(texts.filter((text) => text.includes('hunter2'))).toHaveLength(found);
  });

  it('see refused, forged, invalid, cancelled and broken attempts too', async () => {
    const { observer, ended } = createRecorder();
    const fault = createFault('input.invalid', 'no');
    const picky = {
      ...createFakeProvider('two', { picky: () => done }),
      parse: () => ({ ok: false, fault }) as const,
    };
    const gateway = openHall({
      providers: [
        createFakeProvider('one', {
          hidden: () => done,
          broken: () => {
            throw new Error('bug');
          },
        }),
        picky,
      ],
      access: createOpenAccess((_session, spec) => spec.kind === 'tool' && spec.name === 'hidden'),
      observers: [observer],
    });
    const left = createFakeExchange();
    left.cancel();
    const forged = { resume: { responses: JsonText.from({}), state: 'made up' } };
    await gateway.call(toolRequest('absent'), createFakeExchange());
    await gateway.call(toolRequest('hidden'), createFakeExchange());
    await gateway.call(toolRequest('picky'), createFakeExchange());
    await gateway.call(toolRequest('broken'), createFakeExchange());
    await gateway.call(toolRequest('broken', {}, forged), createFakeExchange({ asking: 'rounds' }));
    await gateway.call(toolRequest('broken'), left);
    const codes = ended.map(({ fault }) => fault);
    expect(codes).toEqual([
      'tool.not_found',
      'tool.not_found',
      'input.invalid',
      'internal',
      'ask.forged',
      'call.cancelled',
    ]);
    // Only what was admitted became a call.
    expect(ended.map(({ source }) => source !== undefined)).toEqual([false, false, false, true, false, true]);
  });

  it('see calls that a stage refused', async () => {
    const { observer, ended } = createRecorder();
    const refusal = createFault('tool.not_found', 'policy says no');
    const gateway = openHall({
      providers: [createFakeProvider('one', { echo: () => done })],
      stages: [
        { stage: 'policy', name: 'strict', handle: () => Promise.resolve({ kind: 'fault', fault: refusal }) },
      ],
      observers: [observer],
    });
    await gateway.call(toolRequest('echo'), createFakeExchange());
    expect(ended).toMatchObject([{ outcome: 'fault', fault: 'tool.not_found', isRefused: true }]);
  });

  it('affect nothing when they throw, and others still run', async () => {
    const { observer, ended } = createRecorder();
    const broken: readonly Observer[] = [
      {
        name: 'cannot begin',
        begin: () => {
          throw new Error('no disk');
        },
      },
      {
        name: 'cannot end',
        begin: () => () => {
          throw new Error('no disk');
        },
      },
      { name: 'gives nothing', begin: () => undefined as never },
    ];
    const gateway = openHall({
      providers: [createFakeProvider('one', { echo: () => done })],
      observers: [...broken, observer],
    });
    expect(await gateway.call(toolRequest('echo'), createFakeExchange())).toBe(done);
    expect(ended).toHaveLength(1);
  });
});
