// What access asks of a store. A store keeps facts and gives them back; it decides nothing.

/** Answered at once where the store can, so that a check costs microseconds. */
export type Soon<T> = T | Promise<T>;

/** "user has relation to object", perhaps on a condition. The same three words exist once in a zone. */
export interface GrantTuple {
  readonly user: string;
  readonly relation: string;
  readonly object: string;
  readonly condition?: { readonly name: string; readonly context?: Readonly<Record<string, unknown>> };
}

export type GrantKey = Pick<GrantTuple, 'user' | 'relation' | 'object'>;

/** A tuple with its history. */
export interface StoredGrant extends GrantTuple {
  /** Who wrote it, as people write principals: `user:ana`. */
  readonly createdBy: string;
  /** Milliseconds since 1970, as everywhere in this file. */
  readonly createdAt: number;
  /** The revision that it came with. */
  readonly revision: number;
}

/** Every field that is given must fit. `objectType` is what stands before the colon. */
export interface GrantFilter {
  readonly user?: string;
  readonly relation?: string;
  readonly object?: string;
  readonly objectType?: string;
}

/** One transaction: first what fits a filter goes, then `remove`, then `add`; all or nothing. */
export interface GrantWrite {
  readonly zone: string;
  readonly removeMatching?: readonly GrantFilter[];
  /** What is not there already is no error. */
  readonly remove?: readonly GrantKey[];
  /** What is there already stays as it is, unless its condition differs: then it is replaced. */
  readonly add?: readonly GrantTuple[];
  /** Refused with `store.conflict` unless the zone is at this revision. */
  readonly expected?: number;
  /** Kept in the same transaction. Its `revision` is filled in by the store. */
  readonly record: AuditRecord;
}

/** What really changed, in the order of the words. The revision stays where it was when nothing did. */
export interface GrantsWritten {
  readonly revision: number;
  readonly added: readonly GrantTuple[];
  readonly removed: readonly GrantTuple[];
}

export type GrantChange =
  | { readonly kind: 'add'; readonly tuple: GrantTuple }
  | { readonly kind: 'remove'; readonly tuple: GrantKey };

/** How to come from an older revision to `revision`: by changes in their order, or by starting anew. */
export type GrantChanges =
  | { readonly kind: 'changes'; readonly revision: number; readonly changes: readonly GrantChange[] }
  | { readonly kind: 'all'; readonly revision: number; readonly tuples: readonly GrantTuple[] };

/** Says how fresh an answer is. Every acknowledged change of tuples or tokens of a zone makes its number larger. */
export interface RevisionStore {
  /** Never older than what any process was told before this question was asked. 0 for a zone without a history. */
  revision(zone: string): Soon<number>;
  /** A hint that a zone may have changed, from whichever process. May come late, often, or not at all. */
  onChange(listener: (zone: string) => void): () => void;
}

export interface GrantStore extends RevisionStore {
  /** `from` undefined, too old or from another history: all tuples. Read in one snapshot with its revision. */
  changes(zone: string, from: number | undefined): Soon<GrantChanges>;
  /** Resolves when the change is on disk and no process can be answered from before it. */
  write(change: GrantWrite): Promise<GrantsWritten>;
  /** In the order of object, relation, user. */
  grants(zone: string, filter?: GrantFilter): Promise<readonly StoredGrant[]>;
}

/** A credential. The secret itself is nowhere: only its SHA-256, in full, as 64 hex digits. */
export interface TokenRecord {
  readonly id: string;
  readonly zone: string;
  readonly hash: string;
  /** `agent:alice`. */
  readonly principal: string;
  readonly label?: string;
  /** What this credential can never go beyond; also what applies when its principal has no profile. */
  readonly profile?: string;
  /** Names and patterns: what they do not name does not exist for it. */
  readonly tools?: readonly string[];
  /** The token that this one was made from. Whoever holds it can do nothing that the parent cannot. */
  readonly parent?: string;
  /** For a child: whether it starts with what its parent had activated. */
  readonly inheritsActive?: boolean;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly expiresAt?: number;
  readonly revokedAt?: number;
  readonly lastUsedAt?: number;
}

export interface TokenStore extends RevisionStore {
  findToken(hash: string): Soon<TokenRecord | undefined>;
  token(id: string): Soon<TokenRecord | undefined>;
  /** Gives the new revision. */
  addToken(token: TokenRecord, record: AuditRecord): Promise<number>;
  /** Gives the new revision; undefined when there is no such token in the zone, or it was revoked before. */
  revokeToken(zone: string, id: string, at: number, record: AuditRecord): Promise<number | undefined>;
  /** In the order of their making. */
  tokens(zone: string): Promise<readonly TokenRecord[]>;
  /** Changes no revision, and may be lost by a crash. */
  touchTokens(uses: readonly { readonly id: string; readonly at: number }[]): Promise<void>;
}

/** One thing that happened: a call, a refusal, a change of rights. Never holds arguments, results or secrets. */
export interface AuditRecord {
  readonly at: number;
  readonly zone: string;
  /** One of `audit-actions.ts`, or what another version called it. */
  readonly action: string;
  readonly decision: 'allow' | 'deny';
  /** Who did it, `user:ana`, and through which links, the first one first. */
  readonly principal: string;
  readonly chain?: readonly string[];
  readonly tokenId?: string;
  /** A tool, prompt or address as the caller wrote it; for a change, what was changed. */
  readonly target?: string;
  /** Why: `granted`, `admin`, `no_grant`, `blocked`, `unknown_tool`, … */
  readonly reason?: string;
  /** How it ended, for what was allowed: `ok` or the code of a fault. */
  readonly outcome?: string;
  readonly requestId?: string;
  readonly traceId?: string;
  readonly sessionId?: string;
  /** Which state of the rights was asked. */
  readonly revision?: number;
  readonly model?: string;
  readonly ms?: number;
  /** Short facts for people, such as what a change added and removed. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

export interface StoredAudit extends AuditRecord {
  readonly seq: number;
}

export interface AuditFilter {
  readonly zone: string;
  readonly principal?: string;
  readonly decision?: 'allow' | 'deny';
  readonly action?: string;
  /** Only what comes behind the record with this `seq`; nothing when that is no longer there. */
  readonly before?: number;
  readonly limit: number;
}

export interface AuditStore {
  /** Resolves when they are kept. */
  appendAudit(records: readonly AuditRecord[]): Promise<void>;
  /** The newest first by their time, whenever they arrived; of one moment, the last that arrived first. */
  audit(filter: AuditFilter): Promise<readonly StoredAudit[]>;
  /** How many records of a zone are older than a moment. */
  countAudit(zone: string, before: number): Promise<number>;
  /** Removes records of a zone that are older than a moment, the oldest first and `most` at once; gives how many. */
  pruneAudit(zone: string, before: number, most: number): Promise<number>;
}

export interface AccessStore extends GrantStore, TokenStore, AuditStore {
  readonly kind: 'memory' | 'sqlite' | 'postgres';
  close(): Promise<void>;
}

export type StoreErrorCode =
  | 'store.unavailable'
  | 'store.corrupt'
  | 'store.full'
  | 'store.newer_schema'
  | 'store.conflict'
  | 'store.closed';

/** Every way in which a store fails. Whoever asked has no answer, and denies. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;
  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
