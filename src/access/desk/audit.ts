import { auditActions } from '../audit-actions.js';
import type { StoredAudit } from '../ports.js';
import { DeskError } from './desk-error.js';
import type { DeskParts } from './parts.js';
import { quoted, readPrincipal } from './receiver.js';
import { strangerNotes } from './strangers.js';

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
  /** What whoever asked should know: a filter that nothing can ever fit. */
  readonly notes: readonly string[];
}

/** Who those are that were kept out before anybody knew who they were. */
const unnamed = 'nobody';

const usual = 20;
const most = 1000;

/** What was done and refused, the newest first, also what arrived late. */
export async function audit(parts: DeskParts, wish: AuditWish = {}): Promise<AuditPage> {
  const { store, zone, gather } = parts;
  const { principal, denied, action, limit = usual, before } = wish;
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > most)
    throw new DeskError('access.bad_request', `limit takes a number from 1 to ${String(most)}.`);
  // Whoever is on record may have a name that nobody could be given.
  if (principal !== undefined && principal !== unnamed && !principal.includes(':'))
    readPrincipal(principal, parts);
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
  const notes = [
    ...actionNotes(parts, action),
    ...(found.length === 0 ? await whoNotes(parts, principal) : []),
  ];
  return { records, ...(found.length > limit && last !== undefined && { before: last.seq }), notes };
}

/** An older version may have recorded others, so one that is not known is told and not refused. */
function actionNotes({ nearest }: DeskParts, action: string | undefined): readonly string[] {
  if (action === undefined || auditActions.some((one) => one === action)) return [];
  const near = nearest(action, auditActions);
  const hint = near === undefined ? `There are ${auditActions.join(', ')}.` : `Did you mean ${near}?`;
  return [`No action is called ${quoted(action)}. ${hint}`];
}

/** Where nothing was found of somebody, the name may be a slip. */
async function whoNotes(parts: DeskParts, principal: string | undefined): Promise<readonly string[]> {
  if (principal === undefined || principal === unnamed) return [];
  await parts.authority.refresh();
  if (parts.authority.revision === undefined) return [];
  return strangerNotes(parts, readPrincipal(principal, parts));
}
