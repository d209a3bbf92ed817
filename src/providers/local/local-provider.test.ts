import { describe, expect, it } from 'vitest';
import { openHall, sessionOf, toolRequest } from '../../../test/support/hall.js';
import { JsonText, type Outcome, type ToolModule } from '../../kernel/index.js';
import { createFakeExchange } from '../../testing/index.js';
import { createLocalProvider } from './local-provider.js';

const add: ToolModule<{ a: number; b: number }> = {
  name: 'add',
  title: 'Add',
  description: 'Adds two numbers.',
  effect: 'read',
  inputSchema: {
    type: 'object',
    properties: { a: { type: 'number' }, b: { type: 'number' } },
    required: ['a', 'b'],
    additionalProperties: false,
  },
  run: ({ a, b }) => String(a + b),
};

function tool(name: string, run: ToolModule['run'], more: Partial<ToolModule> = {}): ToolModule {
  return {
    name,
    title: name,
    description: name,
    effect: 'write',
    inputSchema: { type: 'object' },
    run,
    ...more,
  };
}

function call(tools: readonly ToolModule[], name: string, args: unknown = {}): Promise<Outcome> {
  const provider = createLocalProvider('own', 'builtin', tools);
  return openHall({ providers: [provider] }).call(toolRequest(name, args), createFakeExchange());
}

function valueOf(outcome: Outcome): unknown {
  return outcome.kind === 'content' ? outcome.result.value : outcome;
}

describe('a tool that runs here', () => {
  it('is listed as its author defined it, with hints that follow from its effect', () => {
    const provider = createLocalProvider('own', 'builtin', [
      add,
      tool('run', () => 'x', { effect: 'execute' }),
    ]);
    expect(provider.list().tools.map(({ definition }) => definition.value)).toEqual([
      {
        name: 'add',
        title: 'Add',
        description: 'Adds two numbers.',
        inputSchema: add.inputSchema,
        annotations: {
          title: 'Add',
          readOnlyHint: true,
          destructiveHint: false,
          idempotentHint: true,
          openWorldHint: false,
        },
      },
      expect.objectContaining({
        name: 'run',
        annotations: {
          title: 'run',
          readOnlyHint: false,
          destructiveHint: true,
          idempotentHint: false,
          openWorldHint: true,
        },
      }),
    ]);
    expect(provider.list().tools[0]).toMatchObject({ source: 'builtin', effect: 'read' });
    expect(provider.status()).toEqual({ state: 'ready', restarts: 0 });
  });

  it('may say otherwise than its effect suggests', () => {
    const hints = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
    const [spec] = createLocalProvider('own', 'builtin', [
      tool('x', () => '', { effect: 'execute', hints }),
    ]).list().tools;
    expect(spec?.definition.value).toMatchObject({
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    });
  });

  it('gets its arguments and gives text', async () => {
    expect(valueOf(await call([add], 'add', { a: 2, b: 3 }))).toEqual({
      content: [{ type: 'text', text: '5' }],
    });
  });

  it('may give a whole result', async () => {
    const result = { content: [{ type: 'image', data: 'x' }], structuredContent: { a: 1 }, _meta: { k: 1 } };
    expect(valueOf(await call([tool('x', () => result)], 'x'))).toEqual(result);
  });

  it.each([
    [{ a: 'two', b: 3 }, /a: /],
    [{ a: 2 }, /"?b"?/],
    [{}, /add are not right/],
    [{ a: 1, b: 2, c: 3 }, /c/],
  ])('is not run with arguments %j that do not fit', async (args, words) => {
    let runs = 0;
    const counted = { ...add, run: () => String((runs += 1)) };
    const outcome = await call([counted], 'add', args);
    expect(outcome).toMatchObject({
      kind: 'fault',
      fault: { code: 'input.invalid', data: { inputSchema: add.inputSchema } },
    });
    expect(outcome.kind === 'fault' && outcome.fault.message).toMatch(words);
    expect(runs).toBe(0);
    // The control: the same tool runs with arguments that fit.
    await call([counted], 'add', { a: 1, b: 2 });
    expect(runs).toBe(1);
  });

  it('may be called without arguments', async () => {
    const provider = createLocalProvider('own', 'builtin', [tool('x', (input) => JSON.stringify(input))]);
    const request = toolRequest('x', {}, { params: JsonText.from({ name: 'x' }) });
    const outcome = await openHall({ providers: [provider] }).call(request, createFakeExchange());
    expect(valueOf(outcome)).toEqual({ content: [{ type: 'text', text: '{}' }] });
  });

  it.each<[string, ToolModule['run']]>([
    [
      'throws',
      () => {
        throw new Error('no such file');
      },
    ],
    ['rejects', () => Promise.reject(new Error('no such file'))],
  ])('that %s has failed as a tool, with its words', async (_name, run) => {
    expect(valueOf(await call([tool('x', run)], 'x'))).toEqual({
      content: [{ type: 'text', text: 'no such file' }],
      isError: true,
    });
  });

  it.each([undefined, null, 5, {}, { content: 'text' }, []])(
    'that gives %j has failed as a tool',
    async (output) => {
      expect(valueOf(await call([tool('x', () => output as never)], 'x'))).toMatchObject({ isError: true });
    },
  );

  it('that gives what JSON cannot say has failed as a tool', async () => {
    const circle: { content: unknown[] } = { content: [] };
    circle.content.push(circle);
    expect(valueOf(await call([tool('x', () => circle)], 'x'))).toMatchObject({ isError: true });
    expect(valueOf(await call([tool('x', () => ({ content: [1n] }))], 'x'))).toMatchObject({ isError: true });
  });

  it('knows its session and talks on the line of its call', async () => {
    const seen: string[] = [];
    const provider = createLocalProvider('own', 'builtin', [
      tool('x', (_input, { exchange, session }) => {
        seen.push(session.id);
        exchange.progress(JsonText.from({ progress: 1 }));
        return 'done';
      }),
    ]);
    const exchange = createFakeExchange();
    const request = toolRequest('x', {}, { session: sessionOf('mine') });
    await openHall({ providers: [provider] }).call(request, exchange);
    expect(seen).toEqual(['mine']);
    expect(exchange.sent.progress).toHaveLength(1);
  });

  it('cannot share its name with another', () => {
    expect(() => createLocalProvider('own', 'builtin', [tool('x', () => ''), tool('x', () => '')])).toThrow(
      'own: two tools have the same name',
    );
  });
});
