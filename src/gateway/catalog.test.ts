import { describe, expect, it } from 'vitest';
import {
  openHall,
  promptSpec,
  resourceSpec,
  sessionOf,
  templateSpec,
  toolRequest,
} from '../../test/support/hall.js';
import { content, type Outcome, emptyObject } from '../kernel/index.js';
import { createFakeExchange, createFakeProvider, type FakeProvider } from '../testing/index.js';
import { mergeCatalogs, templateFor } from './catalog.js';

const done = (): Outcome => content(emptyObject);

describe('the merged catalogue', () => {
  it('has everything, in the order in which the providers were configured', () => {
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

  it('leaves out, whole, a provider that takes a name of an earlier one, and names both', () => {
    const one = createFakeProvider('one', { same: done });
    const two = createFakeProvider('two', { same: done, other: done }, { instructions: 'two says' });
    const merged = mergeCatalogs([one, two]);
    expect([...merged.tools.keys()]).toEqual(['same']);
    expect(merged.tools.get('same')?.provider).toBe(one);
    expect(merged.collisions).toEqual([{ name: 'same', first: 'one', second: 'two' }]);
    expect(merged.instructions).toEqual([]);
    expect(merged.providers).toEqual([one]);
  });

  it('sees collisions of prompts too, and reports each one', () => {
    const one = createFakeProvider('one', { a: done, b: done }, { prompts: [promptSpec('one', 'p')] });
    const two = createFakeProvider('two', { a: done, b: done }, { prompts: [promptSpec('two', 'p')] });
    expect(mergeCatalogs([one, two]).collisions.map(({ name }) => name)).toEqual(['a', 'b', 'p']);
  });

  it('reports collisions of any number of tools', () => {
    const tools = Object.fromEntries(Array.from({ length: 150_000 }, (_, n) => [`t${String(n)}`, done]));
    const merged = mergeCatalogs([createFakeProvider('one', tools), createFakeProvider('two', tools)]);
    expect(merged.collisions).toHaveLength(150_000);
  });

  it('a name of a tool and the same name of a prompt are no collision', () => {
    const one = createFakeProvider('one', { x: done });
    const two = createFakeProvider('two', {}, { prompts: [promptSpec('two', 'x')] });
    expect(mergeCatalogs([one, two]).collisions).toEqual([]);
  });

  it('names that differ in case only are different names', () => {
    const merged = mergeCatalogs([
      createFakeProvider('one', { a: done }),
      createFakeProvider('two', { A: done }),
    ]);
    expect([...merged.tools.keys()]).toEqual(['a', 'A']);
  });

  it('an address belongs to the provider that was configured first', () => {
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
      templateFor(merged, uri, (offered) => (offered.provider === hidden ? undefined : offered))?.provider;
    expect(found('x://2')).toBe(one);
    expect(found('y://2')).toBeUndefined();
    expect(found('x://2', one)).toBe(two);
  });
});

describe('a provider that was left out', () => {
  it('shows as failed, with what to do', () => {
    const gateway = openHall({
      providers: [createFakeProvider('one', { same: done }), createFakeProvider('two', { same: done })],
    });
    expect(gateway.collisions()).toEqual([{ name: 'same', first: 'one', second: 'two' }]);
    expect(gateway.status()).toMatchObject([
      { id: 'one', state: 'ready', tools: 1 },
      {
        id: 'two',
        state: 'failed',
        detail: 'one and two both offer "same": give one of them another prefix',
      },
    ]);
  });

  it('is not asked for addresses that nobody listed either', async () => {
    const one = createFakeProvider('one', { same: done });
    const two = { ...createFakeProvider('two', { same: done }), mayHave: () => true };
    const wanted = { kind: 'resource', uri: 'x://secret' } as const;
    const request = toolRequest('', {}, { wanted });
    const gateway = openHall({ providers: [one, two] });
    expect(await gateway.call(request, createFakeExchange())).toMatchObject({
      fault: { code: 'resource.not_found' },
    });
    expect(two.calls).toEqual([]);
    // The control: alone, it is asked.
    await openHall({ providers: [two] }).call(request, createFakeExchange());
    expect(two.calls).toHaveLength(1);
  });

  it('comes back when the collision is gone', () => {
    const one = createFakeProvider('one', { same: done });
    const gateway = openHall({ providers: [one, createFakeProvider('two', { same: done })] });
    one.offer({ other: done });
    expect(gateway.collisions()).toEqual([]);
    expect(gateway.list(sessionOf(), 'tools').map(({ name }) => name)).toEqual(['other', 'same']);
  });
});
