import type {
  AuditFilter,
  GrantChanges,
  GrantFilter,
  StoredAudit,
  StoredGrant,
  TokenRecord,
} from '../../access/ports.js';
import { changeOf, numberOf, numberOrNull, textOf, tupleOf } from '../cells.js';
import { auditOf, columnText, tokenOf } from '../record-text.js';
import type { Sql, Transaction } from './clients.js';
import { refuseNewer } from './migrate.js';
import { schemaVersion } from './schema.js';

type Row = Readonly<Record<string, unknown>>;
const largestPage = 10_000;

/** Of those of the zones that have one. */
export async function readRevisions(
  sql: Sql,
  zones: readonly string[],
  place: string,
): Promise<ReadonlyMap<string, number>> {
  // One statement sees one moment.
  const [row] = await sql<Row[]>`
    select (select max(version) from tidegate.schema_versions) as version,
      (select json_agg(json_build_array(name, revision)) from tidegate.zones
       where name in (select json_array_elements_text(${JSON.stringify(zones)}::text::json))) as zones`;
  await requireKnown(sql, row, place);
  return new Map(pairs(row?.['zones']));
}

/** Of all zones. */
export async function readAllRevisions(sql: Sql): Promise<ReadonlyMap<string, number>> {
  const rows = await sql<Row[]>`select name, revision from tidegate.zones`;
  return new Map(rows.map(({ name, revision }) => [textOf(name), numberOf(revision)]));
}

interface ChangesQuestion {
  readonly zone: string;
  readonly from: number | undefined;
  readonly place: string;
}

export async function readChanges(sql: Sql, { zone, from, place }: ChangesQuestion): Promise<GrantChanges> {
  // Nothing is older than -1, so that there are all tuples.
  const since = from === undefined || !Number.isSafeInteger(from) ? -1 : from;
  const [row] = await sql<Row[]>`
    with zone as (
      select coalesce(max(revision), 0) as revision, coalesce(max(floor), 0) as floor
      from tidegate.zones where name = ${zone}
    ), fits as (
      select ${since}::bigint between floor and revision as is_known from zone
    )
    select (select max(version) from tidegate.schema_versions) as version, revision, is_known,
      case when is_known then (
        select json_agg(change order by revision, place) from tidegate.changes
        where zone = ${zone} and revision > ${since}::bigint
      ) end as changes,
      case when not is_known then (
        select json_agg(json_build_array(subject, relation, object, condition)) from tidegate.grants
        where zone = ${zone}
      ) end as tuples
    from zone, fits`;
  await requireKnown(sql, row, place);
  const revision = numberOf(row?.['revision']);
  if (row?.['is_known'] !== true)
    return { kind: 'all', revision, tuples: listOf(row?.['tuples']).map(tupleOf) };
  const changes = listOf(row['changes']).map((text) => changeOf(JSON.parse(textOf(text))));
  return { kind: 'changes', revision, changes };
}

export async function readGrants(
  sql: Sql,
  zone: string,
  filter: GrantFilter,
): Promise<readonly StoredGrant[]> {
  const rows = await sql<Row[]>`
    select subject, relation, object, condition, created_by, created_at, revision from tidegate.grants
    where zone = ${zone} ${filterOf(sql, filter)} order by object, relation, subject`;
  return rows.map((row) => ({
    ...tupleOf([row['subject'], row['relation'], row['object'], row['condition']]),
    createdBy: textOf(row['created_by']),
    createdAt: numberOf(row['created_at']),
    revision: numberOf(row['revision']),
  }));
}

/** What comes after `where zone = …`. */
export function filterOf(sql: Sql | Transaction, { user, relation, object, objectType }: GrantFilter) {
  return sql`
    ${user === undefined ? sql`` : sql`and subject = ${user}`}
    ${relation === undefined ? sql`` : sql`and relation = ${relation}`}
    ${object === undefined ? sql`` : sql`and object = ${object}`}
    ${objectType === undefined ? sql`` : sql`and starts_with(object, ${`${objectType}:`})`}`;
}

export async function readTokens(
  sql: Sql,
  by: 'id' | 'hash' | 'zone',
  value: string,
): Promise<readonly TokenRecord[]> {
  const rows = await sql<Row[]>`
    select record, revoked_at, last_used_at from tidegate.tokens where ${sql(by)} = ${value} order by seq`;
  return rows.map((row) =>
    tokenOf(textOf(row['record']), numberOrNull(row['revoked_at']), numberOrNull(row['last_used_at'])),
  );
}

export async function readAudit(sql: Sql, filter: AuditFilter): Promise<readonly StoredAudit[]> {
  const { zone, principal, decision, action, before, limit } = filter;
  const rows = await sql<Row[]>`
    select seq, record from tidegate.audit where zone = ${columnText(zone)}
    ${principal === undefined ? sql`` : sql`and principal = ${columnText(principal)}`}
    ${decision === undefined ? sql`` : sql`and decision = ${decision}`}
    ${action === undefined ? sql`` : sql`and action = ${columnText(action)}`}
    ${before === undefined ? sql`` : sql`and (at, seq) < (select at, seq from tidegate.audit where seq = ${before}::bigint)`}
    order by at desc, seq desc limit ${Math.min(Math.max(limit, 0), largestPage)}::bigint`;
  return rows.map(({ seq, record }) => ({ ...auditOf(textOf(record)), seq: numberOf(seq) }));
}

export async function countAudit(sql: Sql, zone: string, before: number): Promise<number> {
  const [row] = await sql<Row[]>`select count(*)::bigint as count from tidegate.audit
    where zone = ${columnText(zone)} and at < ${Math.trunc(before)}::bigint`;
  return numberOf(row?.['count']);
}

async function requireKnown(sql: Sql, row: Row | undefined, place: string): Promise<void> {
  if (numberOf(row?.['version']) > schemaVersion) await refuseNewer(sql, place);
}

/** Nothing to gather is null in SQL. */
function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function pairs(value: unknown): readonly (readonly [string, number])[] {
  return listOf(value).map((pair) => {
    const [name, revision] = listOf(pair);
    return [textOf(name), numberOf(revision)];
  });
}
