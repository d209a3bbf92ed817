import { describe, expect, it } from 'vitest';
import { toolRequest } from '../../test/support/gateway.js';
import {
  type Call,
  content,
  createFault,
  type Exchange,
  faulted,
  type Stage,
  type Next,
  type Outcome,
  stageNames,
} from '../core/index.js';
import { JsonText } from '../lib/json-text.js';
import { createFakeExchange, createFakeProvider } from '../testing/index.js';
import { admit } from './admit.js';
import { createPipeline } from './pipeline.js';

const answer = content(JsonText.from({ content: [{ type: 'text', text: 'the result' }] }));

function admitted(): Call {
  const provider = createFakeProvider('one', { echo: () => answer });
  const spec = provider.list().tools[0];
  if (spec === undefined) throw new Error('the fake lost its tool');
  const found = { target: { kind: 'tool', spec }, provider } as const;
  const admission = admit(toolRequest('echo'), found, { resumed: false });
  if (!admission.ok) throw new Error('not admitted');
  return admission.call;
}

/** Sends an admitted call through the pipeline and returns whether it reached the end. */
async function walk(
  stages: readonly Stage[],
  end: Next = () => Promise.resolve(answer),
): Promise<{ readonly outcome: Outcome; readonly reached: number }> {
  let reached = 0;
  const outcome = await createPipeline(stages)(admitted(), createFakeExchange(), (exchange) => {
    reached += 1;
    return end(exchange);
  });
  return { outcome, reached };
}

type Handle = Stage['handle'];

function at(stage: Stage['stage'], handle: Handle, name = `my ${stage}`): Stage {
  return { stage, name, handle };
}

/** For programs that the compiler would refuse. */
function wrongly(value: unknown): never {
  return value as never;
}

function expectSealed(outcome: Outcome): void {
  expect(outcome).toMatchObject({ kind: 'fault', fault: { code: 'internal' } });
  expect(outcome.kind === 'fault' && outcome.fault.message).toBe(
    'Tidegate failed to run this call because of an internal error.',
  );
}

describe('the pipeline', () => {
  it('leads straight to the provider if it is empty', async () => {
    expect(await walk([])).toEqual({ outcome: answer, reached: 1 });
  });

  it('has a fixed order, independent of the order of assembly', async () => {
    const passed: string[] = [];
    const notes = stageNames.map((stage) =>
      at(stage, async (_call, exchange, next) => {
        passed.push(`> ${stage}`);
        const outcome = await next(exchange);
        passed.push(`< ${stage}`);
        return outcome;
      }),
    );
    await walk([...notes].reverse());
    expect(passed).toEqual([
      '> policy',
      '> limits',
      '> approval',
      '> results',
      '> cache',
      '> redaction',
      '< redaction',
      '< cache',
      '< results',
      '< approval',
      '< limits',
      '< policy',
    ]);
  });

  it('lets a stage refuse, and then runs nothing after it', async () => {
    const refusal = faulted(createFault('tool.not_found', 'no'));
    let behind = 0;
    const { outcome, reached } = await walk([
      at('policy', () => Promise.resolve(refusal)),
      at('cache', (_call, exchange, next) => {
        behind += 1;
        return next(exchange);
      }),
    ]);
    expect({ outcome, reached, behind }).toEqual({ outcome: refusal, reached: 0, behind: 0 });
  });

  it('lets a stage change the outcome and wrap the exchange', async () => {
    const seen: Exchange[] = [];
    const wrapped = createFakeExchange();
    const changed = content(JsonText.from({ content: [] }));
    const { outcome } = await walk(
      [
        at('redaction', async (_call, _exchange, next) => {
          await next(wrapped);
          return changed;
        }),
      ],
      (exchange) => {
        seen.push(exchange);
        return Promise.resolve(answer);
      },
    );
    expect(outcome).toBe(changed);
    expect(seen).toEqual([wrapped]);
  });

  it('refuses two implementations of one stage, and names both', () => {
    const handle: Handle = (_call, exchange, next) => next(exchange);
    expect(() => createPipeline([at('limits', handle, 'first'), at('limits', handle, 'second')])).toThrow(
      'stage limits: both first and second are registered',
    );
  });

  it('refuses an unknown stage', () => {
    const interceptor = {
      ...at('limits', (_call, exchange, next) => next(exchange)),
      stage: wrongly('early'),
    };
    expect(() => createPipeline([interceptor])).toThrow('unknown stage: early');
  });
});

describe('the pipeline guard', () => {
  const throwsAtOnce: Handle = () => {
    throw new Error('broken policy');
  };
  const throwsLater: Handle = async () => {
    await Promise.resolve();
    throw new Error('broken policy');
  };
  const throwsAfter: Handle = async (_call, exchange, next) => {
    await next(exchange);
    throw new Error('broken redaction');
  };
  const goesOnTwice: Handle = async (_call, exchange, next) => {
    await next(exchange);
    return next(exchange);
  };
  const goesOnTwiceAndHidesIt: Handle = async (_call, exchange, next) => {
    const outcome = await next(exchange);
    try {
      return await next(exchange);
    } catch {
      return outcome;
    }
  };

  it.each([
    ['throws at once', throwsAtOnce],
    ['rejects', throwsLater],
  ])('keeps a stage that %s from reaching the provider', async (_name, handle) => {
    const { outcome, reached } = await walk([at('policy', handle)]);
    expectSealed(outcome);
    expect(reached).toBe(0);
  });

  it.each([
    ['throws after the provider answered', throwsAfter],
    ['continues twice', goesOnTwice],
    ['continues twice and swallows the error', goesOnTwiceAndHidesIt],
  ])('withholds the result of a stage that %s', async (_name, handle) => {
    const { outcome, reached } = await walk([at('redaction', handle)]);
    expectSealed(outcome);
    expect(reached).toBe(1);
  });

  const nonsense: readonly unknown[] = [
    undefined,
    null,
    'yes',
    true,
    {},
    { kind: 'allowed' },
    { kind: 'content' },
    { kind: 'content', result: 'text' },
    { kind: 'content', result: { text: 5 } },
    { kind: 'asks' },
    { kind: 'asks', questions: null },
    { kind: 'fault' },
    { kind: 'fault', fault: { code: 'nothing.known' } },
    { kind: 'fault', fault: { code: 'toString' } },
  ];

  it.each(nonsense)('treats a stage that returns %j as a bug', async (value) => {
    const { outcome, reached } = await walk([at('approval', () => Promise.resolve(wrongly(value)))]);
    expectSealed(outcome);
    expect(reached).toBe(0);
  });

  it.each(nonsense)('treats a provider that returns %j as a bug', async (value) => {
    expectSealed((await walk([], () => Promise.resolve(wrongly(value)))).outcome);
  });

  it('keeps a stage that continues after returning from reaching the provider', async () => {
    let late: Promise<unknown> = Promise.resolve();
    const refusal = faulted(createFault('tool.not_found', 'no'));
    const { outcome, reached } = await walk([
      at('policy', (_call, exchange, next) => {
        late = new Promise((resolve) => setImmediate(resolve)).then(() => next(exchange));
        return Promise.resolve(refusal);
      }),
    ]);
    expect(outcome).toBe(refusal);
    await expect(late).rejects.toThrow('after returning');
    expect(reached).toBe(0);
  });

  it('reports a provider that throws without its message', async () => {
    const { outcome } = await walk([], () => Promise.reject(new Error('secret path')));
    expectSealed(outcome);
    expect(outcome.kind === 'fault' && outcome.fault.detail).toContain('secret path');
  });

  it('treats a thrown value that is not an Error as a bug too', async () => {
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- that is the case under test
    expectSealed((await walk([], () => Promise.reject('words'))).outcome);
  });

  it('refuses a call that admit did not create, however similar it is', async () => {
    const real = admitted();
    let reached = 0;
    const pipeline = createPipeline([]);
    const end: Next = () => {
      reached += 1;
      return Promise.resolve(answer);
    };
    const copies: readonly Call[] = [
      { ...real },
      Object.freeze({ ...real }),
      wrongly(Object.create(real)),
      wrongly(new Proxy(real, {})),
      wrongly(JSON.parse(JSON.stringify(real))),
      wrongly(Object.setPrototypeOf({ ...real }, Object.getPrototypeOf(real) as object)),
    ];
    // Whoever holds a call must not find the way to make another in it.
    const maker = (real as { readonly constructor: unknown }).constructor;
    if (maker !== Object) expect(() => wrongly(Reflect.construct(wrongly(maker), [real]))).toThrow();
    for (const copy of copies) expectSealed(await pipeline(copy, createFakeExchange(), end));
    expect(reached).toBe(0);
    expect(await pipeline(real, createFakeExchange(), end)).toBe(answer);
    expect(reached).toBe(1);
  });
});
