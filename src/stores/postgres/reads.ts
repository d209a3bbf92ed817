import type {
  AuditFilter,
  GrantChanges,
  GrantFilter,
  StoredAudit,
  StoredGrant,
  TokenRecord,
  ZoneHead,
} from '../../access/ports/index.js';
import { changeOf, numberOf, numberOrNull, textOf, tupleOf } from '../cells.js';
import { auditOf, columnText, tokenOf } from '../record-text.js';
import type { Sql, Transaction } from './clients.js';
import { refuseNewer } from './migrate.js';
import { schemaVersion } from './schema.js';

type Row = Readonly<Record<string, unknown>>;
const largestPage = 10_000;

/** The heads of the given zones; zones without data are missing. */
export async function readHeads(
  sql: Sql,
  zones: readonly string[],
  place: string,
): Promise<ReadonlyMap<string, ZoneHead>> {
  // A single statement reads one snapshot.
  const [row] = await sql<Row[]>`
    select (select max(version) from tidegate.schema_versions) as version,
      (select json_agg(json_build_array(name, revision, history, origin)) from tidegate.zones
       where name in (select json_array_elements_text(${JSON.stringify(zones)}::text::json))) as zones`;
  await requireKnown(sql, row, place);
  return new Map(listOf(row?.['zones']).map(namedHead));
}

/** The latest point in the history of every zone. */
export async function readAllHistories(sql: Sql): Promise<ReadonlyMap<string, string>> {
  const rows = await sql<Row[]>`select name, history from tidegate.zones`;
  return new Map(rows.map(({ name, history }) => [textOf(name), textOf(history)]));
}

/** The server's clock, in milliseconds. */
export async function readTime(sql: Sql): Promise<number> {
  const [row] = await sql<Row[]>`select (extract(epoch from clock_timestamp()) * 1000)::bigint as now`;
  return numberOf(row?.['now']);
}

interface ChangesQuestion {
  readonly zone: string;
  readonly from: string | undefined;
  readonly place: string;
}

export async function readChanges(sql: Sql, { zone, from, place }: ChangesQuestion): Promise<GrantChanges> {
  // The empty history means revision 0. It can be followed only if the log was never trimmed.
  const [row] = await sql<Row[]>`
    with zone as (
      select coalesce(max(revision), 0) as revision, coalesce(max(floor), 0) as floor,
        coalesce(max(history), '') as history, coalesce(max(origin), '') as origin
      from tidegate.zones where name = ${zone}
    ), start as (
      select case when ${from ?? null}::text = '' then case when floor = 0 then 0 end
        else (select h.revision from tidegate.histories h where h.zone = ${zone} and h.history = ${from ?? null}::text)
        end as since from zone
    )
    select (select max(version) from tidegate.schema_versions) as version, revision, history, origin,
      since is not null as is_known,
      case when since is not null then (
        select json_agg(change order by c.revision, place) from tidegate.changes c
        where c.zone = ${zone} and c.revision > since
      ) end as changes,
      case when since is null then (
        select json_agg(json_build_array(subject, relation, object, condition)) from tidegate.grants
        where zone = ${zone}
      ) end as tuples
    from zone, start`;
  await requireKnown(sql, row, place);
  const head = headOf(row?.['revision'], row?.['history'], row?.['origin']);
  if (row?.['is_known'] !== true) return { kind: 'all', head, tuples: listOf(row?.['tuples']).map(tupleOf) };
  const changes = listOf(row['changes']).map((text) => changeOf(JSON.parse(textOf(text))));
  return { kind: 'changes', head, changes };
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

/** The SQL after `where zone = …`. */
export function filterOf(sql: Sql | Transaction, { user, relation, object, objectType }: GrantFilter) {
  return sql`
    ${user === undefined ? sql`` : sql`and subject = ${user}`}
    ${relation === undefined ? sql`` : sql`and relation = ${relation}`}
    ${object === undefined ? sql`` : sql`and object = ${object}`}
    ${objectType === undefined ? sql`` : sql`and starts_with(object, ${`${objectType}:`})`}`;
}

export async function readTokens(sql: Sql, zone: string): Promise<readonly TokenRecord[]> {
  const rows = await sql<Row[]>`
    select record, revoked_at, last_used_at from tidegate.tokens where zone = ${zone} order by seq`;
  return rows.map(tokenIn);
}

/** The tokens with these ids or hashes; unknown ones are missing. */
export async function findTokens(
  sql: Sql,
  by: 'id' | 'hash',
  values: readonly string[],
): Promise<ReadonlyMap<string, TokenRecord>> {
  const rows = await sql<Row[]>`
    select ${sql(by)} as key, record, revoked_at, last_used_at from tidegate.tokens
    where ${sql(by)} in (select json_array_elements_text(${JSON.stringify(values)}::text::json))`;
  return new Map(rows.map((row) => [textOf(row['key']), tokenIn(row)]));
}

function tokenIn(row: Row): TokenRecord {
  return tokenOf(textOf(row['record']), numberOrNull(row['revoked_at']), numberOrNull(row['last_used_at']));
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

/** SQL aggregates return null for no rows. */
function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function namedHead(value: unknown): readonly [string, ZoneHead] {
  const [name, revision, history, origin] = listOf(value);
  return [textOf(name), headOf(revision, history, origin)];
}

function headOf(revision: unknown, history: unknown, origin: unknown): ZoneHead {
  return { revision: numberOf(revision), history: textOf(history), origin: textOf(origin) };
}
