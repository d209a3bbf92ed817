import { StoreError, type StoreErrorCode } from '../../access/ports/index.js';

/** Anything that the driver or the server said, as a failure of the store. `place` says which, without its password. */
export function storeErrorOf(error: unknown, place: string): StoreError {
  if (error instanceof StoreError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const code = codeOf(error);
  const kind = kindOf(code);
  const said = [code, reason].filter(Boolean).join(': ');
  return new StoreError(kind, `${sentences[kind] ?? sentences['store.unavailable']} ${place} (${said})`, {
    cause: error,
  });
}

/** Of PostgreSQL or of the system; empty for anything else. */
function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

/** Somebody took our tables away, or gave us another database. */
export function isWithoutSchema(error: unknown): boolean {
  return ['42P01', '3F000'].includes(codeOf(error));
}

/** The connection ended under the question. */
export function isConnectionLoss(error: unknown): boolean {
  return ['CONNECTION_CLOSED', 'ECONNRESET', 'EPIPE', '57P01'].includes(codeOf(error));
}

/** What one write of several says is at fault: the server took the whole transaction back for it. */
export function isOfOneWrite(error: unknown): boolean {
  if (!(error instanceof StoreError)) return false;
  return error.code === 'store.corrupt' || /^(?:22|23|54)/.test(codeOf(error.cause));
}

export function isDuplicate(error: unknown): boolean {
  return codeOf(error) === '23505';
}

const sentences: Partial<Record<StoreErrorCode, string>> = {
  'store.unavailable': 'The store cannot be used:',
  'store.full': 'There is no room left in the store:',
  'store.read_only': 'The store takes no writes:',
  'store.corrupt': 'The store is damaged:',
};

function kindOf(code: string): StoreErrorCode {
  if (code === '53100') return 'store.full';
  if (code === '25006') return 'store.read_only';
  if (code === 'XX001' || code === 'XX002') return 'store.corrupt';
  return 'store.unavailable';
}
