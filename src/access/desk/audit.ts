import type { StoredAudit } from '../ports.js';
import { DeskError } from './desk-error.js';
import type { DeskParts } from './parts.js';

export interface AuditWish {
  readonly principal?: string;
  /** Only what was refused. */
  readonly denied?: boolean;
  readonly action?: string;
  readonly limit?: number;
  /** Only what comes behind this one. */
  readonly before?: number;
}

/** With its time as people write it. */
export interface AuditView extends Omit<StoredAudit, 'at'> {
  readonly at: string;
}

export interface AuditPage {
  readonly records: readonly AuditView[];
  /** Where the next page begins; absent on the last one. */
  readonly before?: number;
}

const usual = 20;
const most = 1000;

/** What was done and refused, the newest first, also what arrived late. */
export async function audit({ store, zone, gather }: DeskParts, wish: AuditWish = {}): Promise<AuditPage> {
  const { principal, denied, action, limit = usual, before } = wish;
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > most)
    throw new DeskError('access.bad_request', `limit takes a number from 1 to ${String(most)}.`);
  await gather();
  const found = await store.audit({
    zone,
    ...(principal !== undefined && { principal }),
    ...(denied === true && { decision: 'deny' }),
    ...(action !== undefined && { action }),
    ...(before !== undefined && { before }),
    // One more than wanted says whether there is another page.
    limit: limit + 1,
  });
  const records = found
    .slice(0, limit)
    .map((record) => ({ ...record, at: new Date(record.at).toISOString() }));
  const last = records.at(-1);
  return { records, ...(found.length > limit && last !== undefined && { before: last.seq }) };
}
