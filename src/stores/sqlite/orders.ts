// The messages between the reading thread and the writer thread.
import type {
  AccessStore,
  AuditRecord,
  GrantsWritten,
  GrantWrite,
  StoreErrorCode,
  TokenRecord,
} from '../../access/ports/index.js';
import type { FileIdentity } from './place.js';

/** The arguments of the store's methods. */
export type Order =
  | { readonly kind: 'prepare' }
  | { readonly kind: 'write'; readonly change: GrantWrite }
  | {
      readonly kind: 'addToken';
      readonly token: TokenRecord;
      readonly record: AuditRecord;
      readonly expected?: string;
    }
  | {
      readonly kind: 'revokeToken';
      readonly zone: string;
      readonly id: string;
      readonly at: number;
      readonly record: AuditRecord;
      readonly expected?: string;
    }
  | { readonly kind: 'touchTokens'; readonly uses: Parameters<AccessStore['touchTokens']>[0] }
  | { readonly kind: 'appendAudit'; readonly records: readonly AuditRecord[] }
  | {
      readonly kind: 'pruneAudit';
      readonly zone: string;
      readonly before: number;
      readonly most: number;
    };

/** The result of each order. */
export interface OrderResults {
  readonly prepare: undefined;
  readonly write: GrantsWritten;
  readonly addToken: number;
  readonly revokeToken: number | undefined;
  readonly touchTokens: undefined;
  readonly appendAudit: undefined;
  readonly pruneAudit: number;
}

export type Outcome =
  | { readonly ok: true; readonly kind: Order['kind']; readonly value: OrderResults[Order['kind']] }
  | { readonly ok: false; readonly code: StoreErrorCode; readonly message: string };

/** Orders are sent as JSON, the format in which they are stored. */
export interface OrderMessage {
  readonly id: number;
  readonly order: string;
}

export interface OutcomeMessage {
  readonly id: number;
  readonly outcome: Outcome;
}

export interface WriterParts {
  readonly file: string;
  readonly identity: FileIdentity;
  /** The version of this program, shown to programs that don't know its schema. */
  readonly program: string;
}
