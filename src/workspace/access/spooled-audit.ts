import { join } from 'node:path';
import { openAudit } from '../../access/audit/index.js';
import type { AccessStore, AuditStore } from '../../access/ports/index.js';
import type { Config } from '../../config/index.js';
import { atMost } from '../../lib/at-most.js';
import { redactText } from '../../observers/log/index.js';
import { drainAuditSpool, isSpoolFull, openAuditSpool } from '../audit-spool.js';

type Audit = ReturnType<typeof openAudit>;
type AuditParts = Parameters<typeof openAudit>[0];

export interface SpooledAuditParts extends Pick<AuditParts, 'revision' | 'whyNot' | 'warn'> {
  readonly config: Config;
  readonly stateDirectory: string;
  /** The configuration file in use. */
  readonly configFile?: string;
  readonly store: () => Promise<AccessStore>;
  readonly hasRights: () => boolean;
}

/** Audit records that go to files while only the operator calls, and to the store from then on. */
export interface SpooledAudit extends Audit {
  /** Moves spooled records into the store, with a time limit. */
  gather(): Promise<void>;
}

/** How long a reader waits for records of other gateways. */
const gatherMs = 3000;

export function openSpooledAudit(parts: SpooledAuditParts): SpooledAudit {
  const { config, store, warn } = parts;
  const folder = join(parts.stateDirectory, 'audit');
  const spool = openAuditSpool({ directory: folder });

  /** Spools the operator's own records: loading a database for them would cost more than the rest of the gateway. */
  async function openRecords(): Promise<Pick<AuditStore, 'appendAudit'>> {
    if (parts.hasRights()) return store();
    if (config.store.kind === 'memory' || !(await isSpoolFull(folder))) return spool;
    const kept = await store();
    await drainAuditSpool(folder, kept, warn);
    return kept;
  }

  const audit = openAudit({
    store: openRecords,
    now: () => Date.now(),
    revision: parts.revision,
    whyNot: parts.whyNot,
    redact: redactText,
    ...(parts.configFile !== undefined && { place: parts.configFile }),
    warn,
  });
  const drain = async (): Promise<void> => {
    // Other gateways wrote these records, and a memory store would lose them.
    if (config.store.kind !== 'memory') await drainAuditSpool(folder, await store(), warn);
  };
  return { ...audit, gather: createGather(drain) };
}

/** One at a time: records claimed by another drain are not in the store yet. */
function createGather(drain: () => Promise<void>): () => Promise<void> {
  let gathering: Promise<void> = Promise.resolve();
  return () => {
    // The caller sees a store error when it reads the records.
    gathering = gathering.then(drain).catch(() => undefined);
    return atMost(gatherMs, gathering).then(() => undefined);
  };
}
