import { StoreError, type StoreErrorCode } from '../../access/ports/index.js';

/** Anything that SQLite or the system said, as a failure of the store. */
export function storeErrorOf(error: unknown, file: string): StoreError {
  if (error instanceof StoreError) return error;
  const reason = error instanceof Error ? error.message : String(error);
  const code = sqliteCode(error);
  return new StoreError(
    kindOf(code),
    `${sentenceOf(code, file)} (${[code, reason].filter(Boolean).join(': ')})`,
    {
      cause: error,
    },
  );
}

/** `SQLITE_BUSY` and the like; empty for what is not SQLite's. */
function sqliteCode(error: unknown): string {
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : '';
}

/** Somebody else is at it; it can be tried again. */
export function isBusy(error: unknown): boolean {
  const code = sqliteCode(error);
  return code.startsWith('SQLITE_BUSY') || code.startsWith('SQLITE_LOCKED') || code === 'SQLITE_PROTOCOL';
}

function kindOf(code: string): StoreErrorCode {
  if (code.startsWith('SQLITE_CORRUPT') || code === 'SQLITE_NOTADB') return 'store.corrupt';
  // The index of the log cannot grow either when nothing can.
  if (code === 'SQLITE_FULL' || code === 'SQLITE_IOERR_SHMSIZE' || code === 'ENOSPC') return 'store.full';
  if (code.startsWith('SQLITE_READONLY') || code === 'EROFS') return 'store.read_only';
  return 'store.unavailable';
}

function sentenceOf(code: string, file: string): string {
  switch (kindOf(code)) {
    case 'store.corrupt':
      return `The store ${file} is damaged, or not a database.`;
    case 'store.full':
      return `There is no room left for the store ${file}.`;
    case 'store.read_only':
      return `The store ${file} takes no writes.`;
    default:
      return `The store ${file} cannot be used.`;
  }
}
