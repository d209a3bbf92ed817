import {
  type AccessStore,
  type AuditRecord,
  type GrantsWritten,
  type GrantWrite,
  type StoredAudit,
  StoreError,
  type TokenRecord,
} from '../../access/ports/index.js';
import { requireExpected } from '../history.js';
import { createListeners } from '../listeners.js';
import { changesOf, isMatch, planChange } from '../plan-change.js';
import { auditOf, auditText, tokenOf, tokenText } from '../record-text.js';
import { compareKeys, keyOf, requireStorable, requireStorableWrite } from '../words.js';
import {
  changesSince,
  createMemoryDatabase,
  headOf,
  keepAudit,
  type MemoryDatabase,
  noteChanges,
  zoneOf,
} from './memory-database.js';

/** Open a handle on a memory database; on a new one by default. */
export function createMemoryStore(database: MemoryDatabase = createMemoryDatabase()): AccessStore {
  const { handles } = database;
  const listeners = createListeners();
  handles.add(listeners);
  let isClosed = false;
  const requireOpen = (): void => {
    if (isClosed) throw new StoreError('store.closed', 'The memory store is closed.');
  };
  return {
    kind: 'memory',
    head(zone) {
      requireOpen();
      return headOf(database, zone);
    },
    time() {
      requireOpen();
      return Date.now();
    },
    onChange(listener) {
      requireOpen();
      return listeners.add(listener);
    },
    ...grantMethods(database, requireOpen),
    ...tokenMethods(database, requireOpen),
    ...auditMethods(database, requireOpen),
    async close() {
      isClosed = true;
      handles.delete(listeners);
      listeners.clear();
    },
  };
}

function grantMethods(
  database: MemoryDatabase,
  requireOpen: () => void,
): Pick<AccessStore, 'changes' | 'write' | 'grants'> {
  const { zones } = database;
  return {
    changes(zone, from) {
      requireOpen();
      return changesSince(zones.get(zone), from);
    },
    async write(change) {
      requireOpen();
      requireStorableWrite(change);
      const written = writeGrants(database, change);
      if (written.added.length + written.removed.length > 0) tell(database, change.zone);
      return written;
    },
    async grants(zone, filter = {}) {
      requireOpen();
      const present = [...(zones.get(zone)?.grants.values() ?? [])];
      return present.filter((grant) => isMatch(grant, filter)).sort(compareKeys);
    },
  };
}

function tokenMethods(
  database: MemoryDatabase,
  requireOpen: () => void,
): Pick<AccessStore, 'findToken' | 'token' | 'addToken' | 'revokeToken' | 'tokens' | 'touchTokens'> {
  const { tokens, hashes } = database;
  return {
    findToken(hash) {
      requireOpen();
      return tokens.get(hashes.get(hash) ?? '');
    },
    token(id) {
      requireOpen();
      return tokens.get(id);
    },
    async addToken(token, record, expected) {
      requireOpen();
      requireExpected(expected, headOf(database, token.zone));
      const revision = addToken(database, token, record);
      tell(database, token.zone);
      return revision;
    },
    async revokeToken(zone, id, at, record, expected) {
      requireOpen();
      requireExpected(expected, headOf(database, zone));
      const token = tokens.get(id);
      if (token?.zone !== zone || token.revokedAt !== undefined) return undefined;
      const revision = bump(database, zone, record);
      tokens.set(id, { ...token, revokedAt: at });
      tell(database, zone);
      return revision;
    },
    async tokens(zone) {
      requireOpen();
      return [...tokens.values()].filter((token) => token.zone === zone);
    },
    async touchTokens(uses) {
      requireOpen();
      for (const { id, at } of uses) {
        const token = tokens.get(id);
        if (token !== undefined)
          tokens.set(id, { ...token, lastUsedAt: Math.max(at, token.lastUsedAt ?? at) });
      }
    },
  };
}

function auditMethods(
  database: MemoryDatabase,
  requireOpen: () => void,
): Pick<AccessStore, 'appendAudit' | 'audit' | 'countAudit' | 'pruneAudit'> {
  const { audit } = database;
  return {
    async appendAudit(records) {
      requireOpen();
      const kept = records.map((record) => auditOf(auditText(record, undefined)));
      for (const record of kept) append(database, record);
    },
    async audit({ zone, principal, decision, action, before, limit }) {
      requireOpen();
      const last = before === undefined ? undefined : audit.find(({ seq }) => seq === before);
      if (before !== undefined && last === undefined) return [];
      const fitting = audit.filter(
        (record) =>
          record.zone === zone &&
          (principal === undefined || record.principal === principal) &&
          (decision === undefined || record.decision === decision) &&
          (action === undefined || record.action === action) &&
          (last === undefined || newestFirst(last, record) < 0),
      );
      return fitting.sort(newestFirst).slice(0, limit);
    },
    async countAudit(zone, before) {
      requireOpen();
      return audit.filter((record) => record.zone === zone && record.at < before).length;
    },
    async pruneAudit(zone, before, most) {
      requireOpen();
      const old = audit.filter((record) => record.zone === zone && record.at < before).sort(newestFirst);
      const going = new Set(old.slice(-Math.max(0, most)));
      if (most > 0) audit.splice(0, audit.length, ...audit.filter((record) => !going.has(record)));
      return most > 0 ? going.size : 0;
    },
  };
}

function writeGrants(database: MemoryDatabase, change: GrantWrite): GrantsWritten {
  const head = headOf(database, change.zone);
  requireExpected(change.expected, head);
  const current = head.revision;
  const zone = zoneOf(database, change.zone);
  const { grants } = zone;
  const plan = planChange(change, {
    find: (key) => grants.get(keyOf(key)),
    matching: (filter) => [...grants.values()].filter((grant) => isMatch(grant, filter)),
  });
  const changes = changesOf(plan);
  const record = auditOf(auditText(change.record, changes.length > 0 ? current + 1 : current));
  if (changes.length > 0) noteChanges(zone, changes);
  for (const tuple of plan.removed) grants.delete(keyOf(tuple));
  const { principal: createdBy, at: createdAt } = change.record;
  const { revision } = zone.head;
  for (const tuple of plan.added) grants.set(keyOf(tuple), { ...tuple, createdBy, createdAt, revision });
  append(database, record);
  return { revision, ...plan };
}

function addToken(database: MemoryDatabase, token: TokenRecord, record: AuditRecord): number {
  const { id, zone, hash } = token;
  requireStorable({ id, zone, hash });
  if (database.tokens.has(id) || database.hashes.has(hash))
    throw new StoreError('store.conflict', 'A token with this id or secret already exists.');
  const { revokedAt = null, lastUsedAt = null } = token;
  const kept = tokenOf(tokenText(token), revokedAt, lastUsedAt);
  const revision = bump(database, zone, record);
  database.tokens.set(id, kept);
  database.hashes.set(hash, id);
  return revision;
}

function bump(database: MemoryDatabase, name: string, record: AuditRecord): number {
  const next = headOf(database, name).revision + 1;
  const kept = auditOf(auditText(record, next));
  noteChanges(zoneOf(database, name), []);
  append(database, kept);
  return next;
}

function append(database: MemoryDatabase, record: AuditRecord): void {
  keepAudit(database, { ...record, seq: database.nextSeq });
  database.nextSeq += 1;
}

function newestFirst(one: StoredAudit, other: StoredAudit): number {
  return other.at - one.at || other.seq - one.seq;
}

function tell({ handles }: MemoryDatabase, zone: string): void {
  for (const listeners of [...handles]) listeners.tell(zone);
}
