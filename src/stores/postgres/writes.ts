// Each write, inside a transaction that holds the row of its zone: revisions come one after the other.
import { createHash } from 'node:crypto';
import {
  type AccessStore,
  type AuditRecord,
  type GrantKey,
  type GrantTuple,
  type GrantWrite,
  StoreError,
  type TokenRecord,
} from '../../access/ports/index.js';
import { numberOf, textOf, tupleOf } from '../cells.js';
import { newHistory, requireExpected } from '../history.js';
import { auditText, columnText, conditionText, tokenText } from '../record-text.js';
import { keyOf } from '../words.js';
import { channel, type Sql, type Transaction } from './clients.js';
import {
  type DraftRow,
  draftWrites,
  type KeptRecord,
  type LoggedChange,
  type NewRevision,
} from './draft-writes.js';
import { isDuplicate } from './failures.js';
import type { WriteOutcome } from './grant-batches.js';
import { refuseNewer } from './migrate.js';
import { filterOf } from './reads.js';
import { schemaVersion } from './schema.js';

/** How many changes a zone keeps for those who follow it; whoever is further behind reads all tuples. */
const keptChanges = 10_000;
// Cut off in larger pieces, so that not every write has to.
const slack = 1000;

/**
 * All writes of a batch, which are to one zone, one after the other: each sees what those before it did and has a revision of
 * its own. What comes of them is sent at once.
 */
export async function writeAllGrants(
  sql: Transaction,
  changes: readonly GrantWrite[],
  place: string,
): Promise<readonly WriteOutcome[]> {
  const zone = changes[0]?.zone ?? '';
  // Sent one behind the other without waiting: what comes second on a connection sees what the first has locked.
  const [standing, present] = await Promise.all([
    lockZone(sql, zone, place),
    findPresent(sql, zone, changes),
  ]);
  const { outcomes, revisions, rows, gone, log, records } = draftWrites(changes, standing, present);
  await Promise.all([
    removeGrants(sql, zone, gone),
    addGrants(sql, zone, rows),
    noteChanges(sql, { ...standing, revisions, log }),
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
  const standing = await lockZone(sql, zone, place);
  requireExpected(expected, standing);
  try {
    await sql`insert into tidegate.tokens (id, zone, hash, record, revoked_at, last_used_at)
      values (${id}, ${zone}, ${hash}, ${tokenText(token)}, ${revokedAt}, ${lastUsedAt})`;
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    throw new StoreError('store.conflict', 'There is a token with this id or secret already.');
  }
  return bump(sql, standing, record);
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
  const standing = await lockZone(sql, zone, place);
  requireExpected(expected, standing);
  const { count } = await sql`update tidegate.tokens set revoked_at = ${at}
    where id = ${id} and zone = ${zone} and revoked_at is null`;
  return count === 0 ? undefined : bump(sql, standing, record);
}

type Uses = Parameters<AccessStore['touchTokens']>[0];

export async function touchTokens(sql: Transaction, uses: Uses): Promise<void> {
  const last = new Map<string, number>();
  for (const { id, at } of uses) last.set(id, Math.max(at, last.get(id) ?? at));
  const rows = JSON.stringify([...last].map(([id, at]) => ({ id, at })));
  // Locked in one order by everybody, so that two of these never wait for each other.
  await sql`
    with uses as (
      select * from json_to_recordset(${rows}::text::json) as t (id text, at bigint)
    ), locked as (
      select id from tidegate.tokens where id in (select id from uses) order by id for no key update
    )
    update tidegate.tokens set last_used_at = greatest(last_used_at, uses.at)
    from uses, locked where tokens.id = uses.id and locked.id = uses.id`;
}

/** A clock that differs less from that of the server is taken for right: the way there takes time too. */
const rightMs = 5000;

/**
 * The revision of a record is what the store says it is, for the record of a change. The column `at` follows the clock of the
 * server, so that records of a gateway with a wrong clock grow old like all others; the record keeps the time that it was given.
 */
export async function appendAudit(sql: Sql | Transaction, records: readonly KeptRecord[]): Promise<void> {
  if (records.length === 0) return;
  const rows = records.map(({ record, revision }) => ({
    zone: columnText(record.zone),
    principal: columnText(record.principal),
    action: columnText(record.action),
    decision: record.decision,
    record: auditText(record, revision),
    at: Math.trunc(record.at),
  }));
  await sql`
    with server as (select (extract(epoch from clock_timestamp()) * 1000)::bigint - ${Date.now()}::bigint as ahead)
    insert into tidegate.audit (zone, principal, action, decision, record, at)
    select zone, principal, action, decision, record, at + case when abs(ahead) > ${rightMs}::bigint then ahead else 0 end
    from server, json_to_recordset(${JSON.stringify(rows)}::text::json)
      as t (zone text, principal text, action text, decision text, record text, at bigint)`.execute();
}

interface Pruning {
  readonly zone: string;
  readonly before: number;
  readonly most: number;
}

export async function pruneAudit(sql: Transaction, { zone, before, most }: Pruning): Promise<number> {
  // What another gate removes at the same time is left to it.
  const { count } = await sql`delete from tidegate.audit where seq in (
    select seq from tidegate.audit where zone = ${columnText(zone)} and at < ${Math.trunc(before)}::bigint
    order by at, seq limit ${Math.max(0, Math.trunc(most))}::bigint for update skip locked)`;
  return count;
}

interface Standing {
  readonly zone: string;
  readonly revision: number;
  readonly history: string;
  /** How many changes its log has. */
  readonly logged: number;
  /** The oldest revision that the log leads on from. */
  readonly floor: number;
}

/** From here to the end of the transaction nobody else writes to the zone. */
async function lockZone(sql: Transaction, zone: string, place: string): Promise<Standing> {
  const [, [row]] = await Promise.all([
    sql`insert into tidegate.zones (name, revision, floor, logged, origin)
      values (${zone}, 0, 0, 0, ${newHistory()}) on conflict do nothing`.execute(),
    sql`select revision, logged, floor, history, (select max(version) from tidegate.schema_versions) as version
      from tidegate.zones where name = ${zone} for update`.execute(),
  ]);
  // A newer program may have been here since.
  if (numberOf(row?.['version']) > schemaVersion) await refuseNewer(sql, place);
  return {
    zone,
    revision: numberOf(row?.['revision']),
    history: textOf(row?.['history']),
    logged: numberOf(row?.['logged']),
    floor: numberOf(row?.['floor']),
  };
}

/** All that the writes could touch. */
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

interface Noted extends Standing {
  /** Those that come, and what each changed. */
  readonly revisions: readonly NewRevision[];
  readonly log: readonly LoggedChange[];
}

async function noteChanges(sql: Transaction, { zone, revisions, logged, floor, log }: Noted): Promise<void> {
  const last = revisions.at(-1);
  if (last === undefined) return;
  const total = logged + log.length;
  const rows = JSON.stringify(log.map(({ change, ...at }) => ({ ...at, change: JSON.stringify(change) })));
  await Promise.all([
    sql`update tidegate.zones set revision = ${last.revision}, history = ${last.history}, logged = ${total}
      where name = ${zone}`.execute(),
    sql`insert into tidegate.histories
      select ${zone}, t.* from json_to_recordset(${JSON.stringify(revisions)}::text::json)
        as t (history text, revision bigint)`.execute(),
    sql`insert into tidegate.changes
      select ${zone}, t.* from json_to_recordset(${rows}::text::json)
        as t (revision bigint, place bigint, change text)`.execute(),
    // Heard by the others when this is committed.
    sql`select pg_notify(${channel}, '')`.execute(),
  ]);
  const isLong = total > keptChanges + slack;
  const kept = last.revision - floor > keptChanges + slack ? last.revision - keptChanges : 0;
  const next = Math.max(kept, isLong ? await oldestKept(sql, zone) : 0);
  if (next > floor) await prune(sql, zone, next);
}

async function oldestKept(sql: Transaction, zone: string): Promise<number> {
  const [row] = await sql`select revision from tidegate.changes where zone = ${zone}
    order by revision desc, place desc limit 1 offset ${keptChanges}`;
  return numberOf(row?.['revision']);
}

async function prune(sql: Transaction, zone: string, floor: number): Promise<void> {
  await sql`delete from tidegate.histories where zone = ${zone} and revision < ${floor}`;
  const { count } = await sql`delete from tidegate.changes where zone = ${zone} and revision <= ${floor}`;
  await sql`update tidegate.zones set floor = ${floor}, logged = logged - ${count}::bigint where name = ${zone}`;
}

async function bump(sql: Transaction, standing: Standing, record: AuditRecord): Promise<number> {
  const revision = standing.revision + 1;
  await Promise.all([
    noteChanges(sql, { ...standing, revisions: [{ revision, history: newHistory() }], log: [] }),
    appendAudit(sql, [{ record, revision }]),
  ]);
  return revision;
}

function digestOf(key: GrantKey): string {
  return createHash('sha256').update(keyOf(key)).digest('base64url');
}
