import { type AccessStore, type AuditRecord, StoreError } from '../../access/ports/index.js';

/** Notified when a store becomes unwritable, and when it is writable again. */
export interface WriteWatch {
  refused(error: StoreError): void;
  written(): void;
}

/** Wraps the store to detect whether a revocation could be written now. */
export function withWriteWatch(store: AccessStore, watch: WriteWatch): AccessStore {
  const watched = async <T>(work: () => Promise<T>, isUrgent = false): Promise<T> => {
    try {
      const done = await work();
      watch.written();
      return done;
    } catch (error) {
      if (isRefusal(error, store.kind, isUrgent)) watch.refused(error);
      throw error;
    }
  };
  return {
    ...store,
    write: (change) => watched(() => store.write(change), change.isUrgent === true),
    addToken: (...given) => watched(() => store.addToken(...given)),
    revokeToken: (...given) => watched(() => store.revokeToken(...given), true),
    appendAudit: (records) =>
      records.length === 0 ? store.appendAudit(records) : watched(() => store.appendAudit(records)),
  };
}

/** SQLite reserves space for revocations, so a full disk matters only once that space is used up. */
function isRefusal(error: unknown, kind: AccessStore['kind'], isUrgent: boolean): error is StoreError {
  if (!(error instanceof StoreError)) return false;
  if (error.code === 'store.read_only') return true;
  return error.code === 'store.full' && (kind === 'postgres' || isUrgent);
}

export interface WriteGuardParts {
  readonly store: () => Promise<AccessStore>;
  readonly zone: string;
  readonly principal: string;
  /** Called with the reason while the store is unwritable, and with undefined afterwards. */
  readonly onChange: (reason: StoreError | undefined) => void;
  readonly probeMs?: number;
}

const usualProbeMs = 2000;

/** An unwritable store cannot record revocations: reports it, and retries until a write succeeds. */
export function openWriteGuard(parts: WriteGuardParts): WriteWatch & { close(): void } {
  let probing: NodeJS.Timeout | undefined;
  const stop = (): void => {
    clearInterval(probing);
    probing = undefined;
  };
  const probe = async (): Promise<void> => {
    const store = await parts.store();
    await store.appendAudit([recordOf(parts)]);
  };
  return {
    refused(error) {
      if (probing !== undefined) return;
      probing = setInterval(() => void probe().catch(() => undefined), parts.probeMs ?? usualProbeMs).unref();
      parts.onChange(error);
    },
    written() {
      if (probing === undefined) return;
      stop();
      parts.onChange(undefined);
    },
    close: stop,
  };
}

function recordOf({ zone, principal }: WriteGuardParts): AuditRecord {
  return { at: Date.now(), zone, action: 'store.writable', decision: 'allow', principal, target: zone };
}
