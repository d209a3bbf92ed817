import type {
  GrantChange,
  GrantChanges,
  StoredAudit,
  StoredGrant,
  TokenRecord,
  ZoneHead,
} from '../../access/ports/index.js';
import { newHistory } from '../history.js';
import type { ZoneListeners } from '../listeners.js';
import { compareKeys } from '../words.js';

export interface MemoryZone {
  head: ZoneHead;
  /** The revision of each known point in the history. */
  readonly histories: Map<string, number>;
  /** The log has every change after this revision. */
  floor: number;
  readonly log: { readonly revision: number; readonly change: GrantChange }[];
  readonly grants: Map<string, StoredGrant>;
}

/** Shared by several handles. Lives as long as they do. */
export interface MemoryDatabase {
  readonly zones: Map<string, MemoryZone>;
  readonly tokens: Map<string, TokenRecord>;
  /** From the hash of a secret to the id of its token. */
  readonly hashes: Map<string, string>;
  readonly audit: StoredAudit[];
  readonly handles: Set<ZoneListeners>;
  nextSeq: number;
}

const keptChanges = 10_000;
// Trim in batches, so that most changes don't have to move ten thousand entries.
const slack = 1000;
const noHistory: ZoneHead = { revision: 0, history: '', origin: '' };

export function headOf({ zones }: MemoryDatabase, zone: string): ZoneHead {
  return zones.get(zone)?.head ?? noHistory;
}

export function createMemoryDatabase(): MemoryDatabase {
  return {
    zones: new Map(),
    tokens: new Map(),
    hashes: new Map(),
    audit: [],
    handles: new Set(),
    nextSeq: 1,
  };
}

export function zoneOf({ zones }: MemoryDatabase, name: string): MemoryZone {
  const known = zones.get(name);
  if (known !== undefined) return known;
  const made: MemoryZone = {
    head: { ...noHistory, origin: newHistory() },
    histories: new Map([['', 0]]),
    floor: 0,
    log: [],
    grants: new Map(),
  };
  zones.set(name, made);
  return made;
}

export function noteChanges(zone: MemoryZone, changes: readonly GrantChange[]): void {
  const revision = zone.head.revision + 1;
  zone.head = { ...zone.head, revision, history: newHistory() };
  zone.histories.set(zone.head.history, revision);
  for (const change of changes) zone.log.push({ revision, change });
  const last =
    zone.log.length > keptChanges + slack ? zone.log[zone.log.length - keptChanges - 1] : undefined;
  const oldest = zone.histories.size > keptChanges + slack ? revision - keptChanges : zone.floor;
  const floor = Math.max(last?.revision ?? zone.floor, oldest);
  if (floor > zone.floor) forgetBefore(zone, floor);
}

function forgetBefore(zone: MemoryZone, floor: number): void {
  zone.floor = floor;
  const kept = zone.log.findIndex(({ revision }) => revision > floor);
  zone.log.splice(0, kept === -1 ? zone.log.length : kept);
  for (const [history, revision] of zone.histories) if (revision < floor) zone.histories.delete(history);
}

export function changesSince(zone: MemoryZone | undefined, from: string | undefined): GrantChanges {
  if (zone === undefined)
    return from === ''
      ? { kind: 'changes', head: noHistory, changes: [] }
      : { kind: 'all', head: noHistory, tuples: [] };
  const { head, histories, log, grants } = zone;
  const since = from === undefined ? undefined : histories.get(from);
  if (since === undefined) {
    const tuples = [...grants.values()].sort(compareKeys).map(withoutHistory);
    return { kind: 'all', head, tuples };
  }
  const changes = log.filter(({ revision }) => revision > since).map(({ change }) => change);
  return { kind: 'changes', head, changes };
}

export function keepAudit({ audit }: MemoryDatabase, record: StoredAudit): void {
  audit.push(record);
  if (audit.length > keptChanges + slack) audit.splice(0, audit.length - keptChanges);
}

function withoutHistory({ createdBy: _by, createdAt: _at, revision: _revision, ...tuple }: StoredGrant) {
  return tuple;
}
