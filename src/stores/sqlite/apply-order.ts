// The SQL of each order. Runs inside the writer's transaction.
import {
  type AuditRecord,
  type GrantChange,
  type GrantKey,
  type GrantsWritten,
  type GrantWrite,
  StoreError,
  type TokenRecord,
} from '../../access/ports/index.js';
import { numberOf, textOf, tupleOf } from '../cells.js';
import { newHistory, requireExpected } from '../history.js';
import { changesOf, planChange } from '../plan-change.js';
import { auditText, columnText, conditionText, tokenText } from '../record-text.js';
import type { Connection, Query } from './connection.js';
import type { Order, OrderResults } from './orders.js';
import { conditionsOf } from './reader.js';

/** How many changes a zone keeps for followers. A follower that is further behind reads all tuples. */
const keptChanges = 10_000;
// Trim in batches instead of on every write.
const slack = 1000;

export type ApplyOrder = (order: Order) => OrderResults[Order['kind']];

export function createApplyOrder(connection: Connection): ApplyOrder {
  const statements = statementsOf(connection);
  return (order) => {
    switch (order.kind) {
      case 'prepare':
        return undefined;
      case 'write':
        return writeGrants(connection, statements, order.change);
      case 'addToken':
        return addToken(statements, order);
      case 'revokeToken': {
        const { zone, id, at, record } = order;
        requireExpected(order.expected, zoneStateOf(statements, zone));
        return statements.revokeToken.run(at, id, zone) === 0 ? undefined : bump(statements, zone, record);
      }
      case 'touchTokens':
        for (const { id, at } of order.uses) statements.touchToken.run(at, at, id);
        return undefined;
      case 'appendAudit':
        for (const record of order.records) append(statements, record, undefined);
        return undefined;
      case 'pruneAudit': {
        const { zone, before, most } = order;
        return statements.pruneAudit.run(columnText(zone), before, most);
      }
    }
  };
}

type Statements = ReturnType<typeof statementsOf>;

function statementsOf(connection: Connection) {
  const prepare = (sql: string): Query => connection.prepare(sql);
  return {
    zoneState: prepare('select revision, logged, floor, history from zones where name = ?'),
    setZone: prepare(
      `insert into zones (name, revision, floor, logged, history, origin) values (?, ?, 0, ?, ?, ?)
       on conflict do update set revision = excluded.revision, logged = excluded.logged, history = excluded.history`,
    ),
    addHistory: prepare('insert into histories values (?, ?, ?)'),
    forgetHistories: prepare('delete from histories where zone = ? and revision < ?'),
    findGrant: prepare(
      'select user, relation, object, condition from grants where zone = ? and object = ? and relation = ? and user = ?',
    ),
    addGrant: prepare('insert into grants values (?, ?, ?, ?, ?, ?, ?, ?)'),
    removeGrant: prepare('delete from grants where zone = ? and object = ? and relation = ? and user = ?'),
    addChange: prepare('insert into changes values (?, ?, ?, ?)'),
    oldest: prepare(
      'select revision from changes where zone = ? order by revision desc, place desc limit 1 offset ?',
    ),
    prune: prepare('delete from changes where zone = ? and revision <= ?'),
    setFloor: prepare('update zones set floor = ?, logged = logged - ? where name = ?'),
    findToken: prepare('select 1 from tokens where id = ? or hash = ?'),
    addToken: prepare(
      'insert into tokens (id, zone, hash, record, revoked_at, last_used_at) values (?, ?, ?, ?, ?, ?)',
    ),
    revokeToken: prepare('update tokens set revoked_at = ? where id = ? and zone = ? and revoked_at is null'),
    touchToken: prepare('update tokens set last_used_at = max(?, coalesce(last_used_at, ?)) where id = ?'),
    append: prepare(
      'insert into audit (zone, principal, action, decision, record, at) values (?, ?, ?, ?, ?, ?)',
    ),
    pruneAudit: prepare(
      `delete from audit where seq in
       (select seq from audit where zone = ? and at < ? order by at, seq limit ?)`,
    ),
  } satisfies Readonly<Record<string, Query>>;
}

function writeGrants(connection: Connection, statements: Statements, change: GrantWrite): GrantsWritten {
  const { zone, expected, record } = change;
  const state = zoneStateOf(statements, zone);
  requireExpected(expected, state);
  const plan = planChange(change, {
    find: (key) => {
      const row = statements.findGrant.first(zone, ...keyColumns(key));
      return row && tupleOf(row);
    },
    matching(filter) {
      const { where, values } = conditionsOf(zone, filter);
      const query = connection.prepare(`select user, relation, object, condition from grants where ${where}`);
      return query.all(...values).map(tupleOf);
    },
  });
  const changes = changesOf(plan);
  const revision = state.revision + (changes.length > 0 ? 1 : 0);
  for (const tuple of plan.removed) statements.removeGrant.run(zone, ...keyColumns(tuple));
  for (const tuple of plan.added) {
    const condition = conditionText(tuple.condition);
    statements.addGrant.run(zone, ...keyColumns(tuple), condition, record.principal, record.at, revision);
  }
  if (changes.length > 0) noteChanges(statements, zone, { ...state, changes });
  append(statements, record, revision);
  return { revision, ...plan };
}

interface ZoneState {
  readonly revision: number;
  readonly history: string;
  /** How many changes the log has. */
  readonly logged: number;
  /** The oldest revision that a follower can continue from. */
  readonly floor: number;
}

function zoneStateOf({ zoneState }: Statements, zone: string): ZoneState {
  const [revision = 0, logged = 0, floor = 0, history = ''] = zoneState.first(zone) ?? [];
  return {
    revision: numberOf(revision),
    logged: numberOf(logged),
    floor: numberOf(floor),
    history: textOf(history),
  };
}

interface Noted extends ZoneState {
  readonly changes: readonly GrantChange[];
}

function noteChanges(statements: Statements, zone: string, { changes, ...state }: Noted): number {
  const next = state.revision + 1;
  const total = state.logged + changes.length;
  const history = newHistory();
  statements.setZone.run(zone, next, total, history, newHistory());
  statements.addHistory.run(zone, history, next);
  changes.forEach((change, place) => statements.addChange.run(zone, next, place, JSON.stringify(change)));
  const oldest = total > keptChanges + slack ? statements.oldest.first(zone, keptChanges)?.[0] : 0;
  const kept = next - state.floor > keptChanges + slack ? next - keptChanges : 0;
  const floor = Math.max(numberOf(oldest), kept);
  if (floor <= state.floor) return next;
  statements.forgetHistories.run(zone, floor);
  statements.setFloor.run(floor, statements.prune.run(zone, floor), zone);
  return next;
}

interface AddedToken {
  readonly token: TokenRecord;
  readonly record: AuditRecord;
  readonly expected?: string;
}

function addToken(statements: Statements, { token, record, expected }: AddedToken): number {
  const { id, zone, hash, revokedAt = null, lastUsedAt = null } = token;
  requireExpected(expected, zoneStateOf(statements, zone));
  if (statements.findToken.first(id, hash) !== undefined)
    throw new StoreError('store.conflict', 'A token with this id or secret already exists.');
  statements.addToken.run(id, zone, hash, tokenText(token), revokedAt, lastUsedAt);
  return bump(statements, zone, record);
}

function bump(statements: Statements, zone: string, record: AuditRecord): number {
  const revision = noteChanges(statements, zone, { ...zoneStateOf(statements, zone), changes: [] });
  append(statements, record, revision);
  return revision;
}

function append(statements: Statements, record: AuditRecord, revision: number | undefined): void {
  const { zone, principal, action, decision } = record;
  const text = auditText(record, revision);
  const words = [columnText(zone), columnText(principal), columnText(action), decision];
  statements.append.run(...words, text, Math.trunc(record.at));
}

function keyColumns({ object, relation, user }: GrantKey): [string, string, string] {
  return [object, relation, user];
}
