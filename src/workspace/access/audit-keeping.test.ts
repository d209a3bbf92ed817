import { describe, expect, it, vi } from 'vitest';
import type { AuditRecord } from '../../access/ports/index.js';
import { createMemoryStore } from '../../stores/memory/index.js';
import { openAuditKeeping } from './audit-keeping.js';

const dayMs = 86_400_000;
const now = 1_000 * dayMs;

function recordAt(at: number): AuditRecord {
  return { at, zone: 'local', action: 'call', decision: 'allow', principal: 'agent:alice' };
}

interface Trial {
  readonly ahead?: number;
  readonly warn?: (message: string, fields: Readonly<Record<string, unknown>>) => void;
}

async function kept(
  keep: number,
  ages: readonly number[],
  { ahead = 0, warn = () => undefined }: Trial = {},
): Promise<readonly string[]> {
  const store = { ...createMemoryStore(), time: () => now };
  await store.appendAudit(ages.map((age) => recordAt(now - age * dayMs)));
  const parts = { zone: 'local', principal: 'user:ana', now: () => now + ahead, warn, pauseMs: 0 };
  const keeping = openAuditKeeping({ ...parts, keep, store: () => Promise.resolve(store) });
  await new Promise((resolve) => setTimeout(resolve, 100));
  keeping.close();
  const records = await store.audit({ zone: 'local', limit: 2000 });
  return records.map(({ at, action, detail }) =>
    action === 'call' ? `call ${String((now - at) / dayMs)}` : `${action} ${JSON.stringify(detail)}`,
  );
}

describe('audit records of a running gateway', () => {
  it('are removed when they expire, and the removal is recorded', async () => {
    const old = Array.from({ length: 1300 }, (_, at) => 91 + at);
    const young = Array.from({ length: 200 }, () => 1);
    const records = await kept(90, [89, ...young, ...old]);
    expect(records.slice(0, 2)).toEqual([
      'audit.prune {"before":"1972-06-29T00:00:00.000Z","removed":1300,"keep":"90d"}',
      'call 1',
    ]);
    expect(records).toHaveLength(202);
  });

  it('[15.45] expire by the clock of the store, not of the gateway', async () => {
    expect(await kept(90, [1, 2], { ahead: 100 * dayMs })).toEqual(['call 1', 'call 2']);
  });

  it('[15.45] stay with a warning if nearly all of them would be removed', async () => {
    const told: unknown[] = [];
    const warn = (_: string, fields: unknown): void => void told.push(fields);
    const old = Array.from({ length: 101 }, () => 91);
    expect(await kept(90, old, { warn })).toHaveLength(101);
    expect(told).toMatchObject([{ code: 'access.prune_too_much', old: 101, total: 101 }]);
    // Control: a few old records are all removed.
    expect(await kept(90, [91, 92], { warn })).toEqual([expect.stringContaining('"removed":2')]);
  });

  it('stay if none expired, or if they are kept forever', async () => {
    expect(await kept(90, [1, 2])).toEqual(['call 1', 'call 2']);
    expect(await kept(0, [1, 5000])).toEqual(['call 1', 'call 5000']);
  });

  it('stay if the store does not respond, with a warning', async () => {
    const told: string[] = [];
    const keeping = openAuditKeeping({
      zone: 'local',
      keep: 1,
      principal: 'user:ana',
      now: () => now,
      warn: (message) => told.push(message),
      store: () => Promise.reject(new Error('gone')),
    });
    await vi.waitFor(() => expect(told).toEqual(['old audit records were not removed']));
    keeping.close();
  });
});
