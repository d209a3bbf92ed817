import { describe, expect, it } from 'vitest';
import { accessStoreCases } from '../../testing/index.js';
import { createMemoryDatabase, createMemoryStore } from './index.js';

const record = { at: 1, zone: 'z', action: 'call', decision: 'allow', principal: 'user:ana' } as const;
const add = [{ user: 'u:a', relation: 'caller', object: 'tool:a' }];

describe('the memory store passes the conformance suite', () => {
  const database = createMemoryDatabase();
  for (const { name, run } of accessStoreCases) it(name, () => run(async () => createMemoryStore(database)));
});

describe('the memory store', () => {
  it('drops the oldest records', async () => {
    const store = createMemoryStore();
    for (let round = 0; round < 25; round += 1)
      await store.appendAudit(Array.from({ length: 1000 }, () => ({ ...record, requestId: String(round) })));
    const kept = await store.audit({ zone: 'z', limit: 100_000 });
    expect(kept.length).toBeLessThanOrEqual(11_000);
    expect(kept.length).toBeGreaterThanOrEqual(10_000);
    expect([kept[0]?.requestId, kept[0]?.seq]).toEqual(['24', 25_000]);
  });

  it('sends hints to every listening handle until it unsubscribes', async () => {
    const database = createMemoryDatabase();
    const [one, other] = [createMemoryStore(database), createMemoryStore(database)];
    const heard: string[] = [];
    const stop = other.onChange((zone) => heard.push(zone));
    one.onChange(() => {
      throw new Error('its own affair');
    });
    await one.write({ zone: 'z', add, record });
    await one.write({ zone: 'z', add, record });
    expect(heard).toEqual(['z']);
    stop();
    await one.write({ zone: 'z', remove: add, record });
    expect(heard).toEqual(['z']);
    other.onChange((zone) => heard.push(zone));
    await other.close();
    await one.write({ zone: 'z', add, record });
    expect(heard).toEqual(['z']);
  });
});
