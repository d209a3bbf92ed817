import { join } from 'node:path';
import { formatPrincipal } from '../../access/index.js';
import type { AuditRecord } from '../../access/ports/index.js';
import { openAuditSpool } from '../audit-spool.js';
import { operatorName } from '../operator-name.js';

export interface PolicyChange {
  readonly file: string;
  readonly isTrusted: boolean;
  readonly detail?: Readonly<Record<string, unknown>>;
}

/**
 * Records that policy files were trusted or are no longer trusted, because they define access. Uses the audit spool, so
 * that no store is opened for it.
 */
export async function recordPolicyChanges(
  changes: readonly PolicyChange[],
  { stateDirectory, zone }: { readonly stateDirectory: string; readonly zone: string },
): Promise<void> {
  if (changes.length === 0) return;
  const principal = formatPrincipal({ kind: 'user', id: operatorName() });
  const records = changes.map(
    ({ file, isTrusted, detail }): AuditRecord => ({
      at: Date.now(),
      zone,
      action: 'profiles.change',
      decision: 'allow',
      principal,
      target: file,
      detail: { what: isTrusted ? 'trusted' : 'forgotten', ...detail },
    }),
  );
  await openAuditSpool({ directory: join(stateDirectory, 'audit') }).appendAudit(records);
}
