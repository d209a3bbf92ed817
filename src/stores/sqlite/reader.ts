// All reads, on one connection that never writes. Answers synchronously on the calling thread.
import {
  type AuditFilter,
  type GrantChanges,
  type GrantFilter,
  type StoredAudit,
  type StoredGrant,
  type TokenRecord,
  type ZoneHead,
} from '../../access/ports/index.js';
import { auditOf, columnText, tokenOf } from '../record-text.js';
import { changeOf, listOf, numberOf, numberOrNull, textOf, tupleOf } from '../cells.js';
import { type Cell, type Connection, openConnection, type Row } from './connection.js';
import { storeErrorOf } from './failures.js';
import type { FileIdentity } from './place.js';
import { schemaVersion } from './schema.js';
import { requireKnownVersion } from './version.js';

export interface Reader {
  head(zone: string): ZoneHead;
  /** The latest point in the history of every zone. */
  histories(): ReadonlyMap<string, string>;
  /** SQLite's clock. */
  time(): number;
  /** Changes after every commit of another connection; cheaper than comparing zones. */
  dataVersion(): number;
  changes(zone: string, from: string | undefined): GrantChanges;
  grants(zone: string, filter: GrantFilter): readonly StoredGrant[];
  findToken(hash: string): TokenRecord | undefined;
  token(id: string): TokenRecord | undefined;
  tokens(zone: string): readonly TokenRecord[];
  audit(filter: AuditFilter): readonly StoredAudit[];
  countAudit(zone: string, before: number): number;
  close(): void;
}

/** A reader waits only while SQLite recovers the log after a crash; this blocks its thread. */
const busyMs = 2000;
const largestPage = 10_000;

const tupleColumns = 'user, relation, object, condition';
const tokenColumns = 'record, revoked_at, last_used_at';

/** Open a connection for a reader. */
export function openReadConnection(file: string, identity: FileIdentity): Promise<Connection> {
  return openConnection({ file, identity, busyMs });
}

/** Read a file that has our schema. Closing the reader closes the connection. */
export function createReader(connection: Connection, file: string): Reader {
  const prepare = (sql: string) => connection.prepare(sql);
  connection.exec('pragma query_only = 1');
  const dataVersion = prepare('pragma data_version');
  const histories = prepare('select name, history from zones');
  const time = prepare("select cast(unixepoch('now', 'subsec') * 1000 as integer)");
  const head = prepare(
    `select version, revision, history, origin from (select max(version) as version from schema_versions)
     left join zones on name = ?`,
  );
  const isCut = prepare('select 1 from zones where name = ? and floor > 0');
  const revisionAt = prepare('select revision from histories where zone = ? and history = ?');
  const changes = prepare(
    'select json_group_array(json(change) order by revision, place) from changes where zone = ? and revision > ?',
  );
  const tuples = prepare(`select json_group_array(json_array(${tupleColumns})) from grants where zone = ?`);
  const byHash = prepare(`select ${tokenColumns} from tokens where hash = ?`);
  const byId = prepare(`select ${tokenColumns} from tokens where id = ?`);
  const ofZone = prepare(`select ${tokenColumns} from tokens where zone = ? order by seq`);
  const older = prepare('select count(*) from audit where zone = ? and at < ?');
  const asked = <T>(answer: () => T): T => {
    try {
      return answer();
    } catch (error) {
      throw storeErrorOf(error, file);
    }
  };
  const headOf = (zone: string): ZoneHead => {
    const [version, revision, history, origin] = head.first(zone) ?? [];
    if (version !== schemaVersion) requireKnownVersion(numberOf(version), connection, file);
    if (revision === null) return { revision: 0, history: '', origin: '' };
    return { revision: numberOf(revision), history: textOf(history), origin: textOf(origin) };
  };
  /** Undefined if the log does not reach back that far. */
  const sinceOf = (zone: string, from: string | undefined): number | undefined => {
    if (from === undefined) return undefined;
    const found = revisionAt.first(zone, from)?.[0];
    if (found !== undefined) return numberOf(found);
    return from === '' && isCut.first(zone) === undefined ? 0 : undefined;
  };
  return {
    head: (zone) => asked(() => headOf(zone)),
    histories: () => asked(() => new Map(histories.all().map(([name, at]) => [textOf(name), textOf(at)]))),
    time: () => asked(() => numberOf(time.first()?.[0])),
    dataVersion: () => asked(() => numberOf(dataVersion.first()?.[0])),
    changes: (zone, from) =>
      asked(() =>
        inSnapshot(connection, () => {
          const now = headOf(zone);
          const since = sinceOf(zone, from);
          if (since === undefined)
            return { kind: 'all', head: now, tuples: listOf(tuples.first(zone)?.[0]).map(tupleOf) };
          return {
            kind: 'changes',
            head: now,
            changes: listOf(changes.first(zone, since)?.[0]).map(changeOf),
          };
        }),
      ),
    grants: (zone, filter) => asked(() => selectGrants(connection, zone, filter).map(grantOf)),
    findToken: (hash) => asked(() => tokenAt(byHash.first(hash))),
    token: (id) => asked(() => tokenAt(byId.first(id))),
    tokens: (zone) => asked(() => ofZone.all(zone).flatMap((row) => tokenAt(row) ?? [])),
    audit: (filter) => asked(() => selectAudit(connection, filter)),
    countAudit: (zone, before) => asked(() => numberOf(older.first(columnText(zone), before)?.[0])),
    close: () => connection.close(),
  };
}

function inSnapshot<T>(connection: Connection, read: () => T): T {
  connection.exec('begin');
  try {
    return read();
  } finally {
    connection.abandon();
  }
}

function selectGrants(connection: Connection, zone: string, filter: GrantFilter): readonly Row[] {
  const { where, values } = conditionsOf(zone, filter);
  const columns = `${tupleColumns}, created_by, created_at, revision`;
  const query = connection.prepare(
    `select ${columns} from grants where ${where} order by object, relation, user`,
  );
  return query.all(...values);
}

/** The SQL of a filter. Its values are always bound, never inlined. */
export function conditionsOf(zone: string, { user, relation, object, objectType }: GrantFilter): Conditions {
  return joined([
    ['zone = ?', zone],
    ['user = ?', user],
    ['relation = ?', relation],
    ['object = ?', object],
    ['instr(object, ?) = 1', objectType === undefined ? undefined : `${objectType}:`],
  ]);
}

function selectAudit(connection: Connection, filter: AuditFilter): readonly StoredAudit[] {
  const { zone, principal, decision, action, before, limit } = filter;
  const { where, values } = joined([
    ['zone = ?', columnText(zone)],
    ['principal = ?', principal === undefined ? undefined : columnText(principal)],
    ['decision = ?', decision],
    ['action = ?', action === undefined ? undefined : columnText(action)],
    ['(at, seq) < (select at, seq from audit where seq = ?)', before],
  ]);
  const query = connection.prepare(
    `select seq, record from audit where ${where} order by at desc, seq desc limit ?`,
  );
  const rows = query.all(...values, Math.min(Math.max(limit, 0), largestPage));
  return rows.map(([seq, record]) => ({ ...auditOf(textOf(record)), seq: numberOf(seq) }));
}

interface Conditions {
  readonly where: string;
  readonly values: readonly Cell[];
}

/** Join the given conditions with AND. */
function joined(parts: readonly (readonly [sql: string, value: Cell | undefined])[]): Conditions {
  const given = parts.flatMap(([sql, value]) => (value === undefined ? [] : [{ sql, value }]));
  return { where: given.map(({ sql }) => sql).join(' and '), values: given.map(({ value }) => value) };
}

function grantOf(row: Row): StoredGrant {
  const [createdBy, createdAt, revision] = row.slice(4);
  return {
    ...tupleOf(row),
    createdBy: textOf(createdBy),
    createdAt: numberOf(createdAt),
    revision: numberOf(revision),
  };
}

function tokenAt(row: Row | undefined): TokenRecord | undefined {
  return row && tokenOf(textOf(row[0]), numberOrNull(row[1]), numberOrNull(row[2]));
}
