import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { hasEntries } from '../../lib/has-entries.js';
import { storeFile } from '../../workspace/store-file.js';
import type { Tidegate } from '../../workspace/tidegate.js';

/** How often tools were called with this configuration, according to the audit log. */
export interface RecordedUses {
  readonly calls: ReadonlyMap<string, number>;
  /** Number of calls counted, newest first. */
  readonly records: number;
  /** Time of the oldest counted call; absent if there are none. */
  readonly since?: string;
}

export interface UsesOptions {
  /** Count only calls by this principal, such as `agent:alice`. */
  readonly principal?: string;
}

const pageSize = 1000;
/** Enough to see what is in use without a long read. */
const mostPages = 20;

/** Undefined if there are no records; a store is never created just to look. */
export async function recordedUses(
  tidegate: Pick<Tidegate, 'access' | 'config' | 'stateDirectory' | 'trust'>,
  { principal }: UsesOptions,
): Promise<RecordedUses | undefined> {
  if (!mayHaveRecords(tidegate)) return undefined;
  const { access, config, trust } = tidegate;
  await access.gather();
  const store = await access.store();
  const calls = new Map<string, number>();
  let records = 0;
  let oldest: number | undefined;
  for (let page = 0, before: number | undefined; page < mostPages; page += 1) {
    const found = await store.audit({
      zone: config.access.zone,
      action: 'call',
      decision: 'allow',
      limit: pageSize,
      ...(principal !== undefined && { principal }),
      ...(before !== undefined && { before }),
    });
    for (const { target, at, detail } of found) {
      if (detail?.['place'] !== trust.file) continue;
      if (target !== undefined) calls.set(target, (calls.get(target) ?? 0) + 1);
      records += 1;
      oldest = at;
    }
    before = found.at(-1)?.seq;
    if (found.length < pageSize) break;
  }
  return { calls, records, ...(oldest !== undefined && { since: new Date(oldest).toISOString() }) };
}

function mayHaveRecords({ config, stateDirectory }: Pick<Tidegate, 'config' | 'stateDirectory'>): boolean {
  const { store } = config;
  if (store.kind !== 'sqlite') return store.kind === 'postgres';
  return existsSync(storeFile(store, stateDirectory)) || hasEntries(join(stateDirectory, 'audit'));
}
