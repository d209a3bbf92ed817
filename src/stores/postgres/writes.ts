// Every write runs in a transaction that locks the row of its zone, so revisions are consecutive.
import { sha256Of } from '../../lib/sha256.js';
import {
  type AccessStore,
  type AuditRecord,
  type GrantKey,
  type GrantTuple,
  type GrantWrite,
  StoreError,
  type TokenRecord,
} from '../../access/ports/index.js';
import { tupleOf } from '../cells.js';
import { newHistory, requireExpected } from '../history.js';
import { conditionText, tokenText } from '../record-text.js';
import { keyOf } from '../words.js';
import { appendAudit } from './audit-writes.js';
import type { Transaction } from './clients.js';
import { type DraftRow, draftWrites } from './draft-writes.js';
import { isDuplicate } from './failures.js';
import type { WriteOutcome } from './grant-batches.js';
import { filterOf } from './reads.js';
import { type LockedZone, lockZone, noteChanges } from './zone-row.js';

/**
 * Apply all writes of a batch to one zone in order: each sees the earlier ones and gets its own revision. The
 * results are sent in one go.
 */
export async function writeAllGrants(
  sql: Transaction,
  changes: readonly GrantWrite[],
  place: string,
): Promise<readonly WriteOutcome[]> {
  const zone = changes[0]?.zone ?? '';
  // Pipelined: the second statement on a connection runs after the first has its locks.
  const [locked, present] = await Promise.all([lockZone(sql, zone, place), findPresent(sql, zone, changes)]);
  const { outcomes, revisions, rows, gone, log, records } = draftWrites(changes, locked, present);
  await Promise.all([
    removeGrants(sql, zone, gone),
    addGrants(sql, zone, rows),
    noteChanges(sql, { ...locked, revisions, log }),
    appendAudit(sql, records),
  ]);
  return outcomes;
}

interface AddedToken {
  readonly record: AuditRecord;
  readonly place: string;
  readonly expected: string | undefined;
}

export async function addToken(
  sql: Transaction,
  token: TokenRecord,
  { record, place, expected }: AddedToken,
): Promise<number> {
  const { id, zone, hash, revokedAt = null, lastUsedAt = null } = token;
  const locked = await lockZone(sql, zone, place);
  requireExpected(expected, locked);
  try {
    await sql`insert into tidegate.tokens (id, zone, hash, record, revoked_at, last_used_at)
      values (${id}, ${zone}, ${hash}, ${tokenText(token)}, ${revokedAt}, ${lastUsedAt})`;
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw new StoreError('store.conflict', 'A token with this id or secret already exists.');
  }
  return bump(sql, locked, record);
}

interface Revocation {
  readonly zone: string;
  readonly id: string;
  readonly at: number;
  readonly record: AuditRecord;
  readonly expected: string | undefined;
}

export async function revokeToken(
  sql: Transaction,
  order: Revocation,
  place: string,
): Promise<number | undefined> {
  const { zone, id, at, record, expected } = order;
  const locked = await lockZone(sql, zone, place);
  requireExpected(expected, locked);
  const { count } = await sql`update tidegate.tokens set revoked_at = ${at}
    where id = ${id} and zone = ${zone} and revoked_at is null`;
  return count === 0 ? undefined : bump(sql, locked, record);
}

type Uses = Parameters<AccessStore['touchTokens']>[0];

export async function touchTokens(sql: Transaction, uses: Uses): Promise<void> {
  const last = new Map<string, number>();
  for (const { id, at } of uses) last.set(id, Math.max(at, last.get(id) ?? at));
  const rows = JSON.stringify([...last].map(([id, at]) => ({ id, at })));
  // Lock rows in a fixed order, so that two of these cannot deadlock.
  await sql`
    with uses as (
      select * from json_to_recordset(${rows}::text::json) as t (id text, at bigint)
    ), locked as (
      select id from tidegate.tokens where id in (select id from uses) order by id for no key update
    )
    update tidegate.tokens set last_used_at = greatest(last_used_at, uses.at)
    from uses, locked where tokens.id = uses.id and locked.id = uses.id`;
}

/** Every tuple that the writes could touch. */
async function findPresent(
  sql: Transaction,
  zone: string,
  changes: readonly GrantWrite[],
): Promise<ReadonlyMap<string, GrantTuple>> {
  const present = new Map<string, GrantTuple>();
  const keep = (rows: readonly Readonly<Record<string, unknown>>[]): void => {
    for (const row of rows) {
      const tuple = tupleOf([row['subject'], row['relation'], row['object'], row['condition']]);
      present.set(keyOf(tuple), tuple);
    }
  };
  for (const filter of changes.flatMap(({ removeMatching = [] }) => removeMatching))
    keep(
      await sql`select subject, relation, object, condition from tidegate.grants
      where zone = ${zone} ${filterOf(sql, filter)}`,
    );
  const keys = changes.flatMap(({ remove = [], add = [] }) => [...remove, ...add].map(digestOf));
  if (keys.length > 0)
    keep(
      await sql`select subject, relation, object, condition from tidegate.grants
      where zone = ${zone} and key in (select json_array_elements_text(${JSON.stringify(keys)}::text::json))`,
    );
  return present;
}

async function removeGrants(sql: Transaction, zone: string, removed: readonly GrantKey[]): Promise<void> {
  if (removed.length === 0) return;
  const keys = JSON.stringify(removed.map(digestOf));
  await sql`delete from tidegate.grants
    where zone = ${zone} and key in (select json_array_elements_text(${keys}::text::json))`.execute();
}

async function addGrants(sql: Transaction, zone: string, added: readonly DraftRow[]): Promise<void> {
  if (added.length === 0) return;
  const rows = added.map(({ tuple, by, at, revision }) => ({
    key: digestOf(tuple),
    object: tuple.object,
    relation: tuple.relation,
    subject: tuple.user,
    condition: conditionText(tuple.condition),
    created_by: by,
    created_at: at,
    revision,
  }));
  await sql`insert into tidegate.grants
    select ${zone}, t.* from json_to_recordset(${JSON.stringify(rows)}::text::json)
      as t (key text, object text, relation text, subject text, condition text,
        created_by text, created_at bigint, revision bigint)`.execute();
}

async function bump(sql: Transaction, locked: LockedZone, record: AuditRecord): Promise<number> {
  const revision = locked.revision + 1;
  await Promise.all([
    noteChanges(sql, { ...locked, revisions: [{ revision, history: newHistory() }], log: [] }),
    appendAudit(sql, [{ record, revision }]),
  ]);
  return revision;
}

function digestOf(key: GrantKey): string {
  return sha256Of(keyOf(key), 'base64url');
}
