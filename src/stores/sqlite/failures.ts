import { codeOf } from '../../lib/error-code.js';
import { messageOf } from '../../lib/error-message.js';
import { StoreError, type StoreErrorCode } from '../../access/ports/index.js';

/** Convert any SQLite or system error to a StoreError. */
export function storeErrorOf(error: unknown, file: string): StoreError {
  if (error instanceof StoreError) return error;
  const reason = messageOf(error);
  const code = sqliteCode(error);
  return new StoreError(
    kindOf(code),
    `${describeCode(code, file)} (${[code, reason].filter(Boolean).join(': ')})`,
    {
      cause: error,
    },
  );
}

/** `SQLITE_BUSY` and the like; empty for errors that are not from SQLite. */
function sqliteCode(error: unknown): string {
  const code = codeOf(error);
  return typeof code === 'string' ? code : '';
}

/** Another connection holds the lock; the work can be retried. */
export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED') || code === 'SQLITE_PROTOCOL';
}

function kindOf(code: string): StoreErrorCode {
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') return 'store.corrupt';
  // A full disk also shows as an index of the log that cannot grow.
  if (code === 'SQLITE_FULL' || code === 'SQLITE_IOERR_SHMSIZE' || code === 'ENOSPC') return 'store.full';
  if (code.startsWith('SQLITE_READONLY') || code === 'EROFS') return 'store.read_only';
  return 'store.unavailable';
}

function describeCode(code: string, file: string): string {
  switch (kindOf(code)) {
    case 'store.corrupt':
      return `The store ${file} is damaged, or is not a database.`;
    case 'store.full':
      return `No disk space is left for the store ${file}.`;
    case 'store.read_only':
      return `The store ${file} is read-only.`;
    default:
      return `The store ${file} is unavailable.`;
  }
}
