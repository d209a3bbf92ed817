import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import {
  createOpenAccess,
  eve,
  openHall,
  promptSpec,
  resourceSpec,
  sessionOf,
  templateSpec,
  toolRequest,
} from '../../test/support/gateway.js';
import { content, type Outcome, type Provider, type Session } from '../core/index.js';
import { emptyObject, type JsonText } from '../lib/json-text.js';
import { createEagerExposure } from '../exposure/index.js';
import { createFakeExchange, createFakeProvider, type FakeProvider } from '../testing/index.js';
import type { ListKind } from './lists.js';
import type { Gateway } from './gateway.js';

const done = (): Outcome => content(emptyObject);
const session = sessionOf();

function namesOf(gateway: Gateway): readonly string[] {
  return gateway.registry.list(session, 'tools').map(({ name }) => name);
}

/** A provider whose first list comes when the test says so. */
function slow(id: string): { readonly provider: FakeProvider; arrive(tool: string): void } {
  const fake = createFakeProvider(id, {});
  let arrived: () => void = () => {};
  const ready = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  return {
    provider: { ...fake, ready: () => ready },
    arrive(tool) {
      fake.offer({ [tool]: done });
      arrived();
    },
  };
}

describe('lists', () => {
  it('are the same object as long as nothing changed, so that they are paged once', () => {
    const gateway = openHall({ providers: [createFakeProvider('one', { a: done })] });
    expect(gateway.registry.list(session, 'tools')).toBe(gateway.registry.list(session, 'tools'));
    expect(Object.isFrozen(gateway.registry.list(session, 'tools'))).toBe(true);
  });

  it('keep their identity when a provider lists the same again, without a notification', () => {
    const provider = createFakeProvider('one', { a: done });
    const gateway = openHall({ providers: [provider] });
    const told: (readonly ListKind[])[] = [];
    gateway.registry.onChange(session, (changed) => void told.push(changed));
    const before = gateway.registry.list(session, 'tools');
    provider.offer({ a: done });
    expect(gateway.registry.list(session, 'tools')).toBe(before);
    expect(told).toEqual([]);
  });

  it('report which kinds changed to all current listeners', () => {
    const provider = createFakeProvider('one', { a: done });
    const gateway = openHall({ providers: [provider] });
    const told: string[] = [];
    gateway.registry.onChange(session, (changed) => void told.push(`first ${changed.join()}`));
    const stop = gateway.registry.onChange(session, (changed) => void told.push(`second ${changed.join()}`));
    provider.offer({ a: done, b: done });
    stop();
    provider.offer({ b: done });
    expect(told).toEqual(['first tools', 'second tools', 'first tools']);
    expect(namesOf(gateway)).toEqual(['b']);
  });

  it('report a changed order, which a model sees too', () => {
    const provider = createFakeProvider('one', { a: done, b: done });
    const gateway = openHall({ providers: [provider] });
    const told: (readonly ListKind[])[] = [];
    gateway.registry.onChange(session, (changed) => void told.push(changed));
    provider.offer({ b: done, a: done });
    expect(told).toEqual([['tools']]);
  });

  it('show a session only what is visible to it, in the same order', () => {
    const gateway = openHall({
      providers: [createFakeProvider('one', { a: done, b: done, c: done })],
      access: createOpenAccess((_session, spec) => spec.kind === 'tool' && spec.name === 'b'),
    });
    expect(namesOf(gateway)).toEqual(['a', 'c']);
    expect(gateway.registry.describe(session, 'a')?.name).toBe('a');
    expect(gateway.registry.describe(session, 'b')).toBeUndefined();
  });

  it('contain the visible tools that the exposure shows; calls reach the others too', async () => {
    const gateway = openHall({
      providers: [createFakeProvider('one', { a: done, b: done })],
      exposure: { ...createEagerExposure(), show: (_session, visible) => visible.list.slice(0, 1) },
    });
    expect(namesOf(gateway)).toEqual(['a']);
    expect((await gateway.call(toolRequest('b'), createFakeExchange())).kind).toBe('content');
  });
});

describe('the instructions of providers', () => {
  it('are joined under their names, for providers with visible tools', () => {
    const gateway = openHall({
      providers: [
        createFakeProvider('one', { a: done }, { instructions: 'Say a.' }),
        createFakeProvider('two', { b: done }, { instructions: 'Say b.' }),
        createFakeProvider('three', { c: done }),
      ],
      access: createOpenAccess((_session, spec) => spec.source === 'server:two'),
    });
    expect(gateway.registry.instructions(session)).toBe('# one\nSay a.');
  });

  it('are undefined if no provider has any', () => {
    expect(
      openHall({ providers: [createFakeProvider('one', { a: done })] }).registry.instructions(session),
    ).toBeUndefined();
  });
});

describe('the first lists', () => {
  beforeEach(() => vi.useFakeTimers());
  afterEach(() => vi.useRealTimers());

  it('are waited for at most two seconds', async () => {
    const { provider } = slow('never');
    const gateway = openHall({ providers: [createFakeProvider('one', { a: done }), provider] });
    let isSettled = false;
    void gateway.registry.settle().then(() => {
      isSettled = true;
    });
    await vi.advanceTimersByTimeAsync(1999);
    expect(isSettled).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(isSettled).toBe(true);
    expect(namesOf(gateway)).toEqual(['a']);
  });

  it('that arrive in time are complete, and the timer is cleared', async () => {
    const { provider, arrive } = slow('soon');
    const gateway = openHall({ providers: [provider] });
    const settled = gateway.registry.settle();
    arrive('late');
    await settled;
    expect(namesOf(gateway)).toEqual(['late']);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('resolve `settled` when all have been listed, however long it took, without starting any', async () => {
    const { provider, arrive } = slow('late');
    let asked = 0;
    const ready = (): Promise<void> => {
      asked += 1;
      return provider.ready();
    };
    const gateway = openHall({ providers: [{ ...provider, ready }] });
    let isTold = false;
    void gateway.registry.firstListed().then(() => {
      isTold = true;
    });
    await vi.advanceTimersByTimeAsync(5000);
    expect(asked).toBe(0);
    void gateway.registry.settle();
    await vi.advanceTimersByTimeAsync(5000);
    expect({ asked, isTold }).toEqual({ asked: 1, isTold: false });
    arrive('a');
    await vi.advanceTimersByTimeAsync(0);
    expect(isTold).toBe(true);
  });

  it('are waited for once: later callers continue at once', async () => {
    const { provider } = slow('never');
    const gateway = openHall({ providers: [provider] });
    void gateway.registry.settle();
    await vi.advanceTimersByTimeAsync(2000);
    await gateway.registry.settle();
    expect(namesOf(gateway)).toEqual([]);
  });

  it('are waited for longer by a call for something not listed yet', async () => {
    const { provider } = slow('never');
    const gateway = openHall({ providers: [provider] });
    const outcome = gateway.call(toolRequest('x'), createFakeExchange());
    let isOver = false;
    void outcome.then(() => {
      isOver = true;
    });
    await vi.advanceTimersByTimeAsync(11_000);
    expect(isOver).toBe(false);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await outcome).toMatchObject({ fault: { code: 'tool.not_found' } });
  });

  it('that fail or throw do not delay others', async () => {
    const rejects = { ...createFakeProvider('one', {}), ready: () => Promise.reject(new Error('no')) };
    const throws = {
      ...createFakeProvider('two', {}),
      ready: () => {
        throw new Error('no');
      },
    };
    const gateway = openHall({ providers: [rejects, throws, createFakeProvider('three', { a: done })] });
    await gateway.registry.settle();
    expect(namesOf(gateway)).toEqual(['a']);
  });

  it('delay a call only if its target is not known yet', async () => {
    const { provider, arrive } = slow('soon');
    const gateway = openHall({ providers: [createFakeProvider('one', { a: done }), provider] });
    expect((await gateway.call(toolRequest('a'), createFakeExchange())).kind).toBe('content');
    const waiting = gateway.call(toolRequest('late'), createFakeExchange());
    arrive('late');
    expect((await waiting).kind).toBe('content');
  });

  it('of new providers are waited for even if those of the old ones arrive meanwhile', async () => {
    const old = slow('old');
    const fresh = slow('fresh');
    const gateway = openHall({ providers: [old.provider] });
    void gateway.registry.settle();
    gateway.registry.replace([fresh.provider]);
    old.arrive('x');
    await vi.advanceTimersByTimeAsync(0);
    const waiting = gateway.call(toolRequest('late'), createFakeExchange());
    await vi.advanceTimersByTimeAsync(0);
    fresh.arrive('late');
    expect((await waiting).kind).toBe('content');
  });
});

describe('new providers', () => {
  it('replace the old ones, whose changes are then ignored', () => {
    const old = createFakeProvider('old', { a: done });
    const gateway = openHall({ providers: [old] });
    const told: (readonly ListKind[])[] = [];
    gateway.registry.onChange(session, (changed) => void told.push(changed));
    gateway.registry.replace([createFakeProvider('new', { b: done })]);
    old.offer({ c: done });
    expect(namesOf(gateway)).toEqual(['b']);
    expect(told).toEqual([['tools']]);
    expect(gateway.registry.status().map(({ id }) => id)).toEqual(['new']);
  });
});

describe('resources', () => {
  const watched: string[] = [];
  function watchable(id: string, uris: readonly string[], may = false): Provider {
    return {
      ...createFakeProvider(id, {}, { resources: uris.map((uri) => resourceSpec(id, uri)) }),
      mayHave: () => may,
      watch: (uri: string, listener: (params: JsonText) => void) => {
        watched.push(`${id} ${uri}`);
        listener(emptyObject);
        return Promise.resolve(() => {});
      },
    };
  }
  beforeEach(() => {
    watched.length = 0;
  });

  it('are watched at the provider that has them', async () => {
    const gateway = openHall({ providers: [watchable('one', ['x://1']), watchable('two', ['x://2'])] });
    let updates = 0;
    const stop = await gateway.registry.watch(session, 'x://2', () => {
      updates += 1;
    });
    expect(typeof stop).toBe('function');
    expect({ watched, updates }).toEqual({ watched: ['two x://2'], updates: 1 });
  });

  it('that are hidden cannot be watched, with the same response as for absent ones', async () => {
    const providers = [watchable('one', ['x://1'])];
    const hidden = openHall({ providers, access: createOpenAccess(() => true) });
    const absent = openHall({ providers: [] });
    const [a, b] = [
      await hidden.registry.watch(session, 'x://1', () => {}),
      await absent.registry.watch(session, 'x://1', () => {}),
    ];
    expect(a).toEqual(b);
    expect(a).toMatchObject({ code: 'resource.not_found', data: { uri: 'x://1' } });
    expect(watched).toEqual([]);
  });

  it('that are not listed go to the only provider that may have them, never to one of several', async () => {
    const one = openHall({ providers: [watchable('one', [], true), watchable('two', [])] });
    expect(typeof (await one.registry.watch(session, 'x://9', () => {}))).toBe('function');
    const two = openHall({ providers: [watchable('one', [], true), watchable('two', [], true)] });
    expect(await two.registry.watch(session, 'x://9', () => {})).toMatchObject({
      code: 'resource.not_found',
    });
    expect(watched).toEqual(['one x://9']);
  });

  it('are routed as if providers hidden from the caller did not exist', async () => {
    const secret: Provider = {
      ...watchable('secret', ['x://1'], true),
      list: () => ({
        tools: [],
        prompts: [],
        resources: [resourceSpec('secret', 'x://1')],
        templates: [templateSpec('secret', 'x://{id}')],
      }),
    };
    const access = createOpenAccess((_, { source }) => source === 'server:secret');
    const gateway = openHall({ providers: [secret, watchable('open', [], true)], access });
    for (const uri of ['x://1', 'x://2', 'y://3'])
      expect(typeof (await gateway.registry.watch(session, uri, () => {}))).toBe('function');
    expect(watched).toEqual(['open x://1', 'open x://2', 'open y://3']);
  });

  it('are listed for callers who may see only the second of two providers of one address', () => {
    const both = (id: string): Provider => ({
      ...watchable(id, ['x://1'], false),
      list: () => ({
        tools: [],
        prompts: [],
        resources: [resourceSpec(id, 'x://1')],
        templates: [templateSpec(id, 'x://{id}')],
      }),
    });
    const access = createOpenAccess(
      ({ principal }, { source }) => principal.id === eve.id && source === 'server:secret',
    );
    const gateway = openHall({ providers: [both('secret'), both('open')], access });
    const sources = (of: Session) =>
      (['resources', 'templates'] as const).map((kind) =>
        gateway.registry.list(of, kind).map(({ source }) => source),
      );
    expect(sources(session)).toEqual([['server:secret'], ['server:secret']]);
    expect(sources(sessionOf('s', eve))).toEqual([['server:open'], ['server:open']]);
    expect(gateway.registry.list(sessionOf('s', eve), 'resources')).toHaveLength(1);
    expect(gateway.registry.list(session, 'resources')).toBe(gateway.registry.list(session, 'resources'));
  });

  it('prompts and templates are found for completions', async () => {
    const provider = createFakeProvider(
      'one',
      {},
      {
        prompts: [promptSpec('one', 'p')],
        templates: [templateSpec('one', 'x://{id}')],
      },
    );
    const gateway = openHall({ providers: [provider] });
    for (const of of [
      { kind: 'prompt', name: 'p' },
      { kind: 'template', uriTemplate: 'x://{id}' },
      { kind: 'template', uriTemplate: 'x://7' },
    ] as const) {
      const request = toolRequest('', {}, { wanted: { kind: 'completion', of } });
      expect((await gateway.call(request, createFakeExchange())).kind).toBe('content');
    }
    expect(provider.calls.map(({ target }) => target.kind)).toEqual([
      'completion',
      'completion',
      'completion',
    ]);
  });
});

describe('closing the gateway', () => {
  it('closes every provider, even if one of them fails to close', async () => {
    const closed: string[] = [];
    const closing = (id: string, fails: boolean): Provider => ({
      ...createFakeProvider(id, {}),
      close: () => {
        closed.push(id);
        return fails ? Promise.reject(new Error(`${id} hangs on`)) : Promise.resolve();
      },
    });
    const gateway = openHall({ providers: [closing('one', true), closing('two', false)] });
    await expect(gateway.close()).rejects.toThrow('one hangs on');
    expect(closed).toEqual(['one', 'two']);
  });
});
