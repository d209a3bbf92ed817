import { randomUUID } from 'node:crypto';
import type { AccessStore, AuditRecord, GrantTuple, GrantWrite, TokenRecord } from '../../access/ports.js';

/** Opens one more handle on the same database. */
export type OpenAccessStore = () => Promise<AccessStore>;

export interface AccessStoreCase {
  /** A sentence: what holds. */
  readonly name: string;
  /** Closes what it opens. */
  readonly run: (openStore: OpenAccessStore) => Promise<void>;
}

/** What a case is given: handles that are closed after it, and a zone that nobody else uses. */
export interface CasePlace {
  readonly zone: string;
  readonly open: OpenAccessStore;
}

export function storeCase(name: string, body: (place: CasePlace) => Promise<void>): AccessStoreCase {
  return {
    name,
    async run(openStore) {
      const opened: AccessStore[] = [];
      const open = async (): Promise<AccessStore> => {
        const store = await openStore();
        opened.push(store);
        return store;
      };
      try {
        await body({ zone: `zone-${randomUUID()}`, open });
      } finally {
        for (const store of opened) await store.close();
      }
    },
  };
}

export function tupleOf(user: string, relation: string, object: string): GrantTuple {
  return { user, relation, object };
}

export function recordOf(zone: string, more: Partial<AuditRecord> = {}): AuditRecord {
  return {
    at: 1_700_000_000_000,
    zone,
    action: 'grant.write',
    decision: 'allow',
    principal: 'user:ana',
    ...more,
  };
}

export function writeOf(zone: string, change: Partial<GrantWrite>): GrantWrite {
  return { zone, record: recordOf(zone), ...change };
}

export function tokenOf(zone: string, more: Partial<TokenRecord> = {}): TokenRecord {
  return {
    id: randomUUID(),
    zone,
    hash: (randomUUID() + randomUUID()).replaceAll('-', ''),
    principal: 'agent:alice',
    createdBy: 'user:ana',
    createdAt: 1_700_000_000_000,
    ...more,
  };
}

/** All tuples of a zone, whatever the order. */
export async function tuplesIn(store: AccessStore, zone: string): Promise<readonly GrantTuple[]> {
  const all = await store.changes(zone, undefined);
  if (all.kind !== 'all') throw new Error('asked without a revision, the store did not give all tuples');
  return all.tuples;
}
