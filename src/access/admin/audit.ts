import { auditActions } from '../audit-actions.js';
import type { StoredAudit } from '../ports/index.js';
import { AdminError } from './admin-error.js';
import type { AdminParts } from './parts.js';
import { quoted, readPrincipal } from './receiver.js';
import { strangerNotes } from './strangers.js';

export interface AuditOptions {
  readonly principal?: string;
  /** Only denied records. */
  readonly denied?: boolean;
  readonly action?: string;
  readonly limit?: number;
  /** Only records after this one. */
  readonly before?: number;
}

/** A record with its time in ISO format. */
export interface AuditView extends Omit<StoredAudit, 'at'> {
  readonly at: string;
}

export interface AuditPage {
  readonly records: readonly AuditView[];
  /** Cursor of the next page; absent on the last one. */
  readonly before?: number;
  /** Hints for the caller, such as a filter that can never match. */
  readonly notes: readonly string[];
}

/** The principal of callers that were refused before they were identified. */
const unnamed = 'nobody';

const usual = 20;
const most = 1000;

/** Audit records, newest first, including late arrivals. */
export async function audit(parts: AdminParts, options: AuditOptions = {}): Promise<AuditPage> {
  const { store, zone, gather } = parts;
  const { principal, denied, action, limit = usual, before } = options;
  if (!Number.isSafeInteger(limit) || limit < 1 || limit > most)
    throw new AdminError('access.bad_request', `limit must be a number from 1 to ${String(most)}.`);
  // Old records may contain names that are no longer valid.
  if (principal !== undefined && principal !== unnamed && !principal.includes(':'))
    readPrincipal(principal, parts);
  await gather();
  const found = await store.audit({
    zone,
    ...(principal !== undefined && { principal }),
    ...(denied === true && { decision: 'deny' }),
    ...(action !== undefined && { action }),
    ...(before !== undefined && { before }),
    // Fetch one more to know whether there is another page.
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

/** Other versions may have recorded other actions, so an unknown one is a hint and not an error. */
function actionNotes({ nearest }: AdminParts, action: string | undefined): readonly string[] {
  if (action === undefined || auditActions.some((one) => one === action)) return [];
  const near = nearest(action, auditActions);
  const hint = near === undefined ? `Available: ${auditActions.join(', ')}.` : `Did you mean ${near}?`;
  return [`Unknown action ${quoted(action)}. ${hint}`];
}

/** If nothing was found for a principal, its name may be a typo. */
async function whoNotes(parts: AdminParts, principal: string | undefined): Promise<readonly string[]> {
  if (principal === undefined || principal === unnamed) return [];
  await parts.authorizer.refresh();
  if (parts.authorizer.revision === undefined) return [];
  return strangerNotes(parts, readPrincipal(principal, parts));
}
