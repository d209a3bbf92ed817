import { messageOf } from '../../lib/error-message.js';
import { StoreError, type StoreErrorCode } from '../../access/ports/index.js';

/** Convert any driver or server error to a StoreError. `place` names the server, without its password. */
export function storeErrorOf(error: unknown, place: string): StoreError {
  if (error instanceof StoreError) return error;
  const reason = messageOf(error);
  const code = codeOf(error);
  const kind = kindOf(code);
  const detail = [code, reason].filter(Boolean).join(': ');
  return new StoreError(kind, `${messages[kind] ?? messages['store.unavailable']} ${place} (${detail})`, {
    cause: error,
  });
}

/** The PostgreSQL or system error code; empty for other errors. */
function codeOf(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

/** The tables are missing: they were dropped, or the URL points to another database. */
export function isWithoutSchema(error: unknown): boolean {
  return ['42P01', '3F000'].includes(codeOf(error));
}

/** The connection was lost during the query. */
export function isConnectionLoss(error: unknown): boolean {
  return ['CONNECTION_CLOSED', 'ECONNRESET', 'EPIPE', '57P01'].includes(codeOf(error));
}

/** One write of the batch caused the error; the server rolled back the whole transaction. */
export function isOfOneWrite(error: unknown): boolean {
  if (!(error instanceof StoreError)) return false;
  return error.code === 'store.corrupt' || /^(?:22|23|54)/.test(codeOf(error.cause));
}

export function isDuplicate(error: unknown): boolean {
  return codeOf(error) === '23505';
}

const messages: Partial<Record<StoreErrorCode, string>> = {
  'store.unavailable': 'The store is unavailable:',
  'store.full': 'The store is out of disk space:',
  'store.read_only': 'The store is read-only:',
  'store.corrupt': 'The store is damaged:',
};

function kindOf(code: string): StoreErrorCode {
  if (code === '53100') return 'store.full';
  if (code === '25006') return 'store.read_only';
  if (code === 'XX001' || code === 'XX002') return 'store.corrupt';
  return 'store.unavailable';
}
