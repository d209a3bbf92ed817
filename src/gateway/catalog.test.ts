import { describe, expect, it } from 'vitest';
import { openHall, promptSpec, resourceSpec, sessionOf, templateSpec } from '../../test/support/gateway.js';
import { content, type Outcome } from '../core/index.js';
import { emptyObject } from '../lib/json-text.js';
import { createFakeProvider, type FakeProvider } from '../testing/index.js';
import { mergeCatalogs, templateFor } from './catalog.js';

const done = (): Outcome => content(emptyObject);

describe('the merged catalog', () => {
  it('contains everything, in the order of the configured providers', () => {
    const one = createFakeProvider('one', { b: done, a: done }, { prompts: [promptSpec('one', 'p')] });
    const two = createFakeProvider('two', { c: done }, { resources: [resourceSpec('two', 'x://1')] });
    const merged = mergeCatalogs([one, two]);
    expect([...merged.tools.keys()]).toEqual(['b', 'a', 'c']);
    expect([...merged.prompts.keys()]).toEqual(['p']);
    expect([...merged.resources.keys()]).toEqual(['x://1']);
    expect(merged.tools.get('c')?.provider).toBe(two);
    expect(merged.collisions).toEqual([]);
    expect(merged.providers).toEqual([one, two]);
  });

  it('drops only the tool whose name another provider owns, and names both', () => {
    const one = createFakeProvider('one', { same: done });
    const two = createFakeProvider('two', { same: done, other: done }, { instructions: 'two says' });
    const merged = mergeCatalogs([one, two]);
    expect([...merged.tools.keys()]).toEqual(['same', 'other']);
    expect(merged.tools.get('same')?.provider).toBe(one);
    expect(merged.collisions).toEqual([{ name: 'same', first: 'one', second: 'two' }]);
    expect(merged.instructions).toHaveLength(1);
    expect(merged.providers).toEqual([one, two]);
  });

  it('detects collisions of prompts too, and reports each one', () => {
    const one = createFakeProvider('one', { a: done, b: done }, { prompts: [promptSpec('one', 'p')] });
    const two = createFakeProvider('two', { a: done, b: done }, { prompts: [promptSpec('two', 'p')] });
    expect(mergeCatalogs([one, two]).collisions.map(({ name }) => name)).toEqual(['a', 'b', 'p']);
  });

  it('reports collisions of any number of tools', () => {
    const tools = Object.fromEntries(Array.from({ length: 150_000 }, (_, n) => [`t${String(n)}`, done]));
    const merged = mergeCatalogs([createFakeProvider('one', tools), createFakeProvider('two', tools)]);
    expect(merged.collisions).toHaveLength(150_000);
  });

  it('allows a tool and a prompt with the same name', () => {
    const one = createFakeProvider('one', { x: done });
    const two = createFakeProvider('two', {}, { prompts: [promptSpec('two', 'x')] });
    expect(mergeCatalogs([one, two]).collisions).toEqual([]);
  });

  it('treats names that differ only in case as different', () => {
    const merged = mergeCatalogs([
      createFakeProvider('one', { a: done }),
      createFakeProvider('two', { A: done }),
    ]);
    expect([...merged.tools.keys()]).toEqual(['a', 'A']);
  });

  it('assigns an address to the provider that was configured first', () => {
    const one = createFakeProvider(
      'one',
      {},
      {
        resources: [resourceSpec('one', 'x://1')],
        templates: [templateSpec('one', 'x://{id}')],
      },
    );
    const two = createFakeProvider(
      'two',
      {},
      {
        resources: [resourceSpec('two', 'x://1')],
        templates: [templateSpec('two', 'x://{id}')],
      },
    );
    const merged = mergeCatalogs([one, two]);
    expect(merged.resources.get('x://1')?.provider).toBe(one);
    const found = (uri: string, hidden?: FakeProvider) =>
      templateFor(merged, uri, (offered) => (offered?.provider === hidden ? undefined : offered))?.provider;
    expect(found('x://2')).toBe(one);
    expect(found('y://2')).toBeUndefined();
    expect(found('x://2', one)).toBe(two);
  });
});

describe('an address that another provider lists later', () => {
  const lists = (source: string) => ({
    resources: [resourceSpec(source, 'x://1')],
    templates: [templateSpec(source, 'x://{id}')],
  });
  const found = (catalog: ReturnType<typeof mergeCatalogs>) => [
    catalog.resources.get('x://1')?.provider.id,
    templateFor(catalog, 'x://2', (offered) => offered)?.provider.id,
    catalog.laterResources.map(({ provider }) => provider.id),
  ];

  it('[15.5] stays with its owner, even if the other one is configured first', () => {
    const two = createFakeProvider('two', {}, lists('two'));
    const before = mergeCatalogs([createFakeProvider('one', {}), two]);
    const now = [createFakeProvider('one', {}, lists('one')), two];
    expect(found(mergeCatalogs(now, undefined, before))).toEqual(['two', 'two', ['one']]);
    // Control: without the owners from before, the first one takes it.
    expect(found(mergeCatalogs(now))).toEqual(['one', 'one', ['two']]);
  });

  it('moves to the other one when its owner no longer lists it', () => {
    const before = mergeCatalogs([createFakeProvider('two', {}, lists('two'))]);
    const now = [createFakeProvider('one', {}, lists('one')), createFakeProvider('two', {})];
    expect(found(mergeCatalogs(now, undefined, before))).toEqual(['one', 'one', []]);
  });
});

describe('a provider with a dropped name', () => {
  it('keeps the rest, and reports what was dropped and what to do', () => {
    const gateway = openHall({
      providers: [
        createFakeProvider('one', { same: done }),
        createFakeProvider('two', { same: done, b: done }),
      ],
    });
    expect(gateway.registry.collisions()).toEqual([{ name: 'same', first: 'one', second: 'two' }]);
    expect(gateway.registry.status()).toMatchObject([
      { id: 'one', state: 'ready', tools: 1 },
      {
        id: 'two',
        state: 'ready',
        tools: 1,
        dropped: ['same'],
        detail: 'not offered: "same" belongs to one; change the prefix of one of them',
      },
    ]);
  });

  it('gets the name if it was not claimed and the other provider drops it', () => {
    const one = createFakeProvider('one', { same: done });
    const gateway = openHall({ providers: [one, createFakeProvider('two', { same: done })] });
    one.offer({ other: done });
    expect(gateway.registry.collisions()).toEqual([]);
    expect(gateway.registry.list(sessionOf(), 'tools').map(({ name }) => name)).toEqual(['other', 'same']);
  });

  it('does not get the name while the provider that claimed it exists', async () => {
    const one = createFakeProvider('one', { same: done });
    const gateway = openHall({ providers: [one, createFakeProvider('two', { same: done })] });
    await gateway.registry.settle();
    one.offer({ other: done });
    expect(gateway.registry.list(sessionOf(), 'tools').map(({ name }) => name)).toEqual(['other']);
    expect(gateway.registry.collisions()).toEqual([{ name: 'same', first: 'one', second: 'two' }]);
  });
});
