import type { GrantChange, GrantChanges, StoredAudit, StoredGrant, TokenRecord } from '../../access/ports.js';
import type { ZoneListeners } from '../listeners.js';
import { compareKeys } from '../words.js';

export interface MemoryZone {
  revision: number;
  /** From here on, and no earlier, the log knows every change. */
  floor: number;
  readonly log: { readonly revision: number; readonly change: GrantChange }[];
  readonly grants: Map<string, StoredGrant>;
}

/** What several handles share. It lives as long as they do. */
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
// Cut off in larger pieces, so that not every change moves ten thousand.
const slack = 1000;

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
  const made: MemoryZone = { revision: 0, floor: 0, log: [], grants: new Map() };
  zones.set(name, made);
  return made;
}

export function noteChanges(zone: MemoryZone, changes: readonly GrantChange[]): void {
  zone.revision += 1;
  for (const change of changes) zone.log.push({ revision: zone.revision, change });
  if (zone.log.length <= keptChanges + slack) return;
  const last = zone.log[zone.log.length - keptChanges - 1];
  zone.floor = last?.revision ?? zone.floor;
  const kept = zone.log.findIndex(({ revision }) => revision > zone.floor);
  zone.log.splice(0, kept === -1 ? zone.log.length : kept);
}

export function changesSince(zone: MemoryZone | undefined, from: number | undefined): GrantChanges {
  if (zone === undefined)
    return from === 0
      ? { kind: 'changes', revision: 0, changes: [] }
      : { kind: 'all', revision: 0, tuples: [] };
  const { revision, floor, log, grants } = zone;
  if (from === undefined || from < floor || from > revision) {
    const tuples = [...grants.values()].sort(compareKeys).map(withoutHistory);
    return { kind: 'all', revision, tuples };
  }
  const changes = log.filter((entry) => entry.revision > from).map(({ change }) => change);
  return { kind: 'changes', revision, changes };
}

export function keepAudit({ audit }: MemoryDatabase, record: StoredAudit): void {
  audit.push(record);
  if (audit.length > keptChanges + slack) audit.splice(0, audit.length - keptChanges);
}

function withoutHistory({ createdBy: _by, createdAt: _at, revision: _revision, ...tuple }: StoredGrant) {
  return tuple;
}
