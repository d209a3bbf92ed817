import { randomUUID } from 'node:crypto';
import type {
  AccessStore,
  AuditRecord,
  GrantChanges,
  GrantTuple,
  GrantWrite,
  TokenRecord,
} from '../../access/ports/index.js';

/** Opens another handle on the same database. */
export type OpenAccessStore = () => Promise<AccessStore>;

export interface AccessStoreCase {
  /** The guarantee, as a sentence. */
  readonly name: string;
  /** Closes everything it opens. */
  readonly run: (openStore: OpenAccessStore) => Promise<void>;
}

/** Resources of a case: handles that are closed afterwards, and its own zone. */
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

/** Current position of the zone in its history. */
export async function historyOf(store: AccessStore, zone: string): Promise<string> {
  return (await store.head(zone)).history;
}

/** Replaces random ids with revision numbers. */
export async function changesIn(
  store: AccessStore,
  zone: string,
  from: string | undefined,
): Promise<Omit<GrantChanges, 'head'> & { readonly revision: number }> {
  const { head, ...changes } = await store.changes(zone, from);
  return { ...changes, revision: head.revision };
}

/** All tuples of a zone, in any order. */
export async function tuplesIn(store: AccessStore, zone: string): Promise<readonly GrantTuple[]> {
  const all = await store.changes(zone, undefined);
  if (all.kind !== 'all') throw new Error('without a revision, the store did not return all tuples');
  return all.tuples;
}
