// The row of a zone and its log of changes.
import { numberOf, textOf } from '../cells.js';
import { newHistory } from '../history.js';
import { channel, type Transaction } from './clients.js';
import type { LoggedChange, NewRevision } from './draft-writes.js';
import { refuseNewer } from './migrate.js';
import { schemaVersion } from './schema.js';

/** How many changes a zone keeps for followers. A follower that is further behind reads all tuples. */
const keptChanges = 10_000;
// Trim in batches instead of on every write.
const slack = 1000;

export interface LockedZone {
  readonly zone: string;
  readonly revision: number;
  readonly history: string;
  /** How many changes the log has. */
  readonly logged: number;
  /** The oldest revision that a follower can continue from. */
  readonly floor: number;
}

/** Locks the zone until the end of the transaction. */
export async function lockZone(sql: Transaction, zone: string, place: string): Promise<LockedZone> {
  const [, [row]] = await Promise.all([
    sql`insert into tidegate.zones (name, revision, floor, logged, origin)
      values (${zone}, 0, 0, 0, ${newHistory()}) on conflict do nothing`.execute(),
    sql`select revision, logged, floor, history, (select max(version) from tidegate.schema_versions) as version
      from tidegate.zones where name = ${zone} for update`.execute(),
  ]);
  // A newer program may have migrated the tables since.
  if (numberOf(row?.['version']) > schemaVersion) await refuseNewer(sql, place);
  return {
    zone,
    revision: numberOf(row?.['revision']),
    history: textOf(row?.['history']),
    logged: numberOf(row?.['logged']),
    floor: numberOf(row?.['floor']),
  };
}

interface Noted extends LockedZone {
  /** The new revisions and their changes. */
  readonly revisions: readonly NewRevision[];
  readonly log: readonly LoggedChange[];
}

export async function noteChanges(
  sql: Transaction,
  { zone, revisions, logged, floor, log }: Noted,
): Promise<void> {
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
    // Delivered to the other processes on commit.
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
