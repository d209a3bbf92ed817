import { describe, expect, it, vi } from 'vitest';
import type { AuditRecord } from '../access/ports.js';
import { createMemoryStore } from '../stores/memory/index.js';
import { openAuditKeeping } from './audit-keeping.js';

const dayMs = 86_400_000;
const now = 1_000 * dayMs;

function recordAt(at: number): AuditRecord {
  return { at, zone: 'local', action: 'call', decision: 'allow', principal: 'agent:alice' };
}

async function kept(keep: number, ages: readonly number[]): Promise<readonly string[]> {
  const store = createMemoryStore();
  await store.appendAudit(ages.map((age) => recordAt(now - age * dayMs)));
  const parts = { zone: 'local', principal: 'user:ana', now: () => now, warn: () => undefined, pauseMs: 0 };
  const keeping = openAuditKeeping({ ...parts, keep, store: () => Promise.resolve(store) });
  if (keep > 0)
    await vi.waitFor(async () => expect(await store.countAudit('local', now - keep * dayMs)).toBe(0));
  await new Promise((resolve) => setTimeout(resolve, 10));
  keeping.close();
  const records = await store.audit({ zone: 'local', limit: 10 });
  return records.map(({ at, action, detail }) =>
    action === 'call' ? `call ${String((now - at) / dayMs)}` : `${action} ${JSON.stringify(detail)}`,
  );
}

describe('records of a running gate', () => {
  it('are removed when they are older than they are kept for, and that is a record', async () => {
    const old = Array.from({ length: 1300 }, (_, at) => 91 + at);
    expect(await kept(90, [1, 89, ...old])).toEqual([
      'audit.prune {"before":"1972-06-29T00:00:00.000Z","removed":1300,"keep":"90d"}',
      'call 1',
      'call 89',
    ]);
  });

  it('are left alone where all are young, and where they are kept for ever', async () => {
    expect(await kept(90, [1, 2])).toEqual(['call 1', 'call 2']);
    expect(await kept(0, [1, 5000])).toEqual(['call 1', 'call 5000']);
  });

  it('stay when the store does not answer, and the operator is told', async () => {
    const told: string[] = [];
    const keeping = openAuditKeeping({
      zone: 'local',
      keep: 1,
      principal: 'user:ana',
      now: () => now,
      warn: (message) => told.push(message),
      store: () => Promise.reject(new Error('gone')),
    });
    await vi.waitFor(() => expect(told).toEqual(['old records were not removed']));
    keeping.close();
  });
});
