import { auditText, columnText } from '../record-text.js';
import type { Sql, Transaction } from './clients.js';
import type { KeptRecord } from './draft-writes.js';

/** Ignore smaller clock differences: they include the network delay. */
const clockToleranceMs = 5000;

/**
 * The store fills in the revision of a change record. The column `at` follows the server's clock, so that
 * records from a gateway with a wrong clock expire like all others; the record keeps its own time.
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
    select zone, principal, action, decision, record, at + case when abs(ahead) > ${clockToleranceMs}::bigint then ahead else 0 end
    from server, json_to_recordset(${JSON.stringify(rows)}::text::json)
      as t (zone text, principal text, action text, decision text, record text, at bigint)`.execute();
}

interface Pruning {
  readonly zone: string;
  readonly before: number;
  readonly most: number;
}

export async function pruneAudit(sql: Transaction, { zone, before, most }: Pruning): Promise<number> {
  // Skip rows that another gateway is deleting.
  const { count } = await sql`delete from tidegate.audit where seq in (
    select seq from tidegate.audit where zone = ${columnText(zone)} and at < ${Math.trunc(before)}::bigint
    order by at, seq limit ${Math.max(0, Math.trunc(most))}::bigint for update skip locked)`;
  return count;
}
