import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openHall, sessionOf, toolRequest } from '../../../test/support/gateway.js';
import { cardOf, type Outcome, ToolFailure } from '../../core/index.js';
import { JsonText } from '../../lib/json-text.js';
import type { PortServices, Readiness } from '../../ports/tool-ports.js';
import type { ToolModule } from '../../ports/tool-module.js';
import { createFakeExchange, createFakeFiles } from '../../testing/index.js';
import { createLocalProvider } from './local-provider.js';

const add: ToolModule = {
  name: 'add',
  title: 'Add',
  description: 'Adds two numbers.',
  effect: 'read',
  input: z.object({ a: z.number().describe('One.'), b: z.number().describe('Another.') }),
  run: ({ a, b }: { a: number; b: number }) => String(a + b),
};

function tool(name: string, run: ToolModule['run'], more: Partial<ToolModule> = {}): ToolModule {
  return { name, title: name, description: name, effect: 'write', input: z.object({}), run, ...more };
}

function provide(tools: readonly ToolModule[], services: PortServices = {}) {
  const local = tools.map((module) => ({ card: cardOf(module), load: () => Promise.resolve(module) }));
  return createLocalProvider({ id: 'own', source: 'builtin', tools: local, services });
}

function call(tools: readonly ToolModule[], name: string, args: unknown = {}, services: PortServices = {}) {
  const hall = openHall({ providers: [provide(tools, services)] });
  return hall.call(toolRequest(name, args), createFakeExchange());
}

function valueOf(outcome: Outcome): unknown {
  return outcome.kind === 'content' ? outcome.result.value : outcome;
}

describe('a local tool', () => {
  it('is listed as defined, with hints that follow from its effect', () => {
    const provider = provide([add, tool('run', () => 'x', { effect: 'execute' })]);
    expect(provider.list().tools.map(({ definition }) => definition.value)).toEqual([
      {
        name: 'add',
        title: 'Add',
        description: 'Adds two numbers.',
        inputSchema: cardOf(add).inputSchema,
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

  it('can be open to everybody, or hidden until it is named, only if it is built in', () => {
    const own = tool('find', () => 'x', { reach: 'open' });
    const local = [{ card: cardOf(own), load: () => Promise.resolve(own) }];
    const reachOf = (source: 'builtin' | 'workspace') =>
      createLocalProvider({ id: 'own', source, tools: local, services: {} }).list().tools[0]?.reach;
    expect([reachOf('builtin'), reachOf('workspace')]).toEqual(['open', undefined]);
  });

  it('can override the hints of its effect', () => {
    const hints = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
    const [spec] = provide([tool('x', () => '', { effect: 'execute', hints })]).list().tools;
    expect(spec?.definition.value).toMatchObject({
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    });
  });

  it('gets its arguments and returns text', async () => {
    expect(valueOf(await call([add], 'add', { a: 2, b: 3 }))).toEqual({
      content: [{ type: 'text', text: '5' }],
    });
  });

  it('can return content blocks', async () => {
    const result = { content: [{ type: 'image', data: 'x' }] };
    expect(valueOf(await call([tool('x', () => result)], 'x'))).toEqual(result);
  });

  it('with an output schema returns data and an equivalent text', async () => {
    const output = z.object({ n: z.int().describe('A number.') });
    const image = { type: 'image', data: 'x' };
    const typed = tool('x', () => ({ data: { n: 1, odd: true }, text: 'one', content: [image] }), { output });
    expect(valueOf(await call([typed], 'x'))).toEqual({
      content: [{ type: 'text', text: 'one' }, image],
      structuredContent: { n: 1 },
    });
  });

  it('whose data does not match its own schema fails, without the data', async () => {
    const output = z.object({ n: z.int().describe('A number.') });
    const outcome = await call([tool('x', () => ({ data: { n: 'secret' } }), { output })], 'x');
    expect(outcome).toMatchObject({ kind: 'fault', fault: { code: 'work.failed', reason: 'bad_output' } });
    expect(JSON.stringify(outcome)).not.toContain('secret');
    expect(await call([tool('x', () => 'text', { output })], 'x')).toMatchObject({ kind: 'fault' });
  });

  it.each([
    [{ a: 'two', b: 3 }, /a must be of type number/],
    [{ a: 2 }, /"?b"?/],
    [{}, /Invalid arguments for add/],
  ])('is not run with invalid arguments %j', async (args, words) => {
    let runs = 0;
    const counted = { ...add, run: () => String((runs += 1)) };
    const outcome = await call([counted], 'add', args);
    expect(outcome).toMatchObject({
      kind: 'fault',
      fault: { code: 'input.invalid', data: { inputSchema: cardOf(add).inputSchema } },
    });
    expect(outcome.kind === 'fault' && outcome.fault.message).toMatch(words);
    expect(runs).toBe(0);
    // The control: the same tool runs with arguments that fit.
    await call([counted], 'add', { a: 1, b: 2 });
    expect(runs).toBe(1);
  });

  it('is not run with arguments that only its own schema rejects', async () => {
    const even = z.object({
      n: z
        .int()
        .refine((n) => n % 2 === 0, 'must be even')
        .describe('An even number.'),
    });
    const outcome = await call([tool('x', () => 'ran', { input: even })], 'x', { n: 3 });
    expect(outcome).toMatchObject({ kind: 'fault', fault: { code: 'input.invalid' } });
    expect(outcome.kind === 'fault' && outcome.fault.message).toContain('n: must be even');
    expect(valueOf(await call([tool('x', () => 'ran', { input: even })], 'x', { n: 2 }))).toMatchObject({
      content: [{ text: 'ran' }],
    });
  });

  it('can be called without arguments', async () => {
    const provider = provide([tool('x', (input) => JSON.stringify(input))]);
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
  ])('that %s fails as a tool, with its message', async (_name, run) => {
    expect(await call([tool('x', run)], 'x')).toMatchObject({
      kind: 'fault',
      fault: { code: 'work.failed', message: 'no such file' },
    });
  });

  it.each<[string, unknown]>([
    ['an object without a prototype', Object.create(null)],
    [
      'an error whose message cannot be read',
      Object.defineProperty(new Error('x'), 'message', {
        get: () => {
          throw new Error('y');
        },
      }),
    ],
    [
      'a failure with details that JSON cannot represent',
      new ToolFailure('failed', 'm', { details: { n: 1n } }),
    ],
    ['undefined', undefined],
  ])('that throws %s fails as a tool', async (_name, thrown) => {
    const failing = tool('x', () => {
      throw thrown;
    });
    const outcome = await call([failing], 'x');
    expect(outcome).toMatchObject({ kind: 'fault', fault: { code: 'work.failed' } });
    expect(() => JSON.stringify(outcome)).not.toThrow();
  });

  it('that cannot be loaded fails as a tool', async () => {
    const load = () => Promise.reject(new ToolFailure('refused', 'It changed.', { reason: 'changed' }));
    const provider = createLocalProvider({
      id: 'own',
      source: 'workspace',
      tools: [{ card: cardOf(add), load }],
      services: {},
    });
    const outcome = await openHall({ providers: [provider] }).call(
      toolRequest('add', { a: 1, b: 2 }),
      createFakeExchange(),
    );
    expect(outcome).toMatchObject({ kind: 'fault', fault: { code: 'work.refused', reason: 'changed' } });
  });

  it('that returns too much fails as a tool', async () => {
    const outcome = await call([tool('x', () => 'x'.repeat(33 * 1024 * 1024))], 'x');
    expect(outcome).toMatchObject({ kind: 'fault', fault: { reason: 'too_large' } });
  });

  it('can say what went wrong, what to do next and whether to retry', async () => {
    const facts = { reason: 'dirty', details: { files: 2 }, suggestion: 'Commit first.', retryable: true };
    const failing = tool('x', () => {
      throw new ToolFailure('bad_state', 'Two files are uncommitted.', facts);
    });
    const { details, ...others } = facts;
    expect(await call([failing], 'x')).toEqual({
      kind: 'fault',
      fault: { code: 'work.bad_state', message: 'Two files are uncommitted.', data: details, ...others },
    });
  });

  it.each([undefined, null, 5, {}, { content: 'text' }, [], { content: [5] }, { content: [{ text: 'x' }] }])(
    'that returns %j fails as a tool',
    async (output) => {
      expect(await call([tool('x', () => output as never)], 'x')).toMatchObject({ kind: 'fault' });
    },
  );

  it('that returns a value without a JSON form fails as a tool', async () => {
    const circle: { content: unknown[] } = { content: [] };
    circle.content.push(circle);
    for (const odd of [circle, { content: [1n] }]) {
      expect(await call([tool('x', () => odd as never)], 'x')).toMatchObject({
        kind: 'fault',
        fault: { code: 'work.failed' },
      });
    }
  });

  it('knows its session and can send messages during its call', async () => {
    const seen: string[] = [];
    const provider = provide([
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

  it('cannot have the same name as another', () => {
    expect(() => provide([tool('x', () => ''), tool('x', () => '')])).toThrow('own: duplicate tool name x');
  });

  it('is loaded at its first call, not earlier', async () => {
    let loads = 0;
    const load = (): Promise<ToolModule> => {
      loads += 1;
      return Promise.resolve(add);
    };
    const provider = createLocalProvider({
      id: 'own',
      source: 'builtin',
      tools: [{ card: cardOf(add), load }],
      services: {},
    });
    const hall = openHall({ providers: [provider] });
    expect(hall.registry.list(sessionOf(), 'tools')).toHaveLength(1);
    await hall.call(toolRequest('add', { a: 'x' }), createFakeExchange());
    expect(loads).toBe(0);
    await hall.call(toolRequest('add', { a: 1, b: 2 }), createFakeExchange());
    expect(loads).toBe(1);
  });

  it('can be replaced, and the gateway is notified', async () => {
    const provider = provide([add]);
    const hall = openHall({ providers: [provider] });
    const changes: unknown[] = [];
    hall.registry.onChange(sessionOf(), (changed) => changes.push(changed));
    const other = tool('other', () => 'here');
    provider.offer([{ card: cardOf(other), load: () => Promise.resolve(other) }]);
    expect(changes).toEqual([['tools']]);
    expect(hall.registry.list(sessionOf(), 'tools').map(({ name }) => name)).toEqual(['other']);
    expect(await hall.call(toolRequest('add', { a: 1, b: 2 }), createFakeExchange())).toMatchObject({
      fault: { code: 'tool.not_found' },
    });
  });
});

describe('a port that a tool needs', () => {
  const roots = tool('roots', (_input, { ports }) => ports.files.roots.join(), { needs: ['files'] });
  const free = tool('free', () => 'works');
  const service = (readiness: Readiness): PortServices => ({
    files: {
      readiness: () => readiness,
      serve: () => ({ ...createFakeFiles(), roots: ['/w'] }),
      close: () => Promise.resolve(),
    },
  });

  it('is passed to it', async () => {
    const outcome = await call([roots], 'roots', {}, service({ state: 'ready' }));
    expect(valueOf(outcome)).toEqual({ content: [{ type: 'text', text: '/w' }] });
  });

  it.each<[string, PortServices, object]>([
    [
      'is still starting',
      service({ state: 'starting', reason: 'indexing', retryAfterMs: 500 }),
      { code: 'need.starting', data: { need: 'files', retry_after_ms: 500 } },
    ],
    [
      'is missing',
      service({ state: 'unavailable', reason: 'not installed', suggestion: 'Install it.' }),
      { code: 'need.unavailable', suggestion: 'Install it.' },
    ],
    ['is disabled', {}, { code: 'need.unavailable', data: { need: 'files' } }],
  ])('%s: the tool reports it, and others work', async (_name, services, fault) => {
    expect(await call([roots, free], 'roots', {}, services)).toMatchObject({ kind: 'fault', fault });
    expect(valueOf(await call([roots, free], 'free', {}, services))).toMatchObject({
      content: [{ text: 'works' }],
    });
  });

  it('is passed if it is optional and available', async () => {
    const either = tool('either', (_input, { ports }) => String('files' in ports), { optional: ['files'] });
    const texts = await Promise.all(
      [service({ state: 'ready' }), {}].map(async (services) =>
        valueOf(await call([either], 'either', {}, services)),
      ),
    );
    expect(texts).toMatchObject([{ content: [{ text: 'true' }] }, { content: [{ text: 'false' }] }]);
  });
});
