// The store interface for access. A store only keeps and returns data; it decides nothing.

/** Synchronous if the store can, so that a check costs microseconds. */
export type Soon<T> = T | Promise<T>;

/** "user has relation to object", optionally with a condition. The three values are unique within a zone. */
export interface GrantTuple {
  readonly user: string;
  readonly relation: string;
  readonly object: string;
  readonly condition?: { readonly name: string; readonly context?: Readonly<Record<string, unknown>> };
}

export type GrantKey = Pick<GrantTuple, 'user' | 'relation' | 'object'>;

/** A tuple with its history. */
export interface StoredGrant extends GrantTuple {
  /** The author, such as `user:ana`. */
  readonly createdBy: string;
  /** Milliseconds since 1970, like all times in this file. */
  readonly createdAt: number;
  /** The revision that added it. */
  readonly revision: number;
}

/** All given fields must match. `objectType` is the part before the colon. */
export interface GrantFilter {
  readonly user?: string;
  readonly relation?: string;
  readonly object?: string;
  readonly objectType?: string;
}

/** One transaction: first the filters remove, then `remove`, then `add`; all or nothing. */
export interface GrantWrite {
  readonly zone: string;
  readonly removeMatching?: readonly GrantFilter[];
  /** Missing tuples are not an error. */
  readonly remove?: readonly GrantKey[];
  /** An existing tuple is kept, or replaced if its condition differs. */
  readonly add?: readonly GrantTuple[];
  /** Fails with `store.conflict` unless the zone is at this revision. */
  readonly expected?: string;
  /** The write removes rights, so it may use space that the store reserves for that. */
  readonly isUrgent?: boolean;
  /** Written in the same transaction. The store sets its `revision`. */
  readonly record: AuditRecord;
}

/** What actually changed, sorted. The revision is unchanged if nothing did. */
export interface GrantsWritten {
  readonly revision: number;
  readonly added: readonly GrantTuple[];
  readonly removed: readonly GrantTuple[];
}

export type GrantChange =
  | { readonly kind: 'add'; readonly tuple: GrantTuple }
  | { readonly kind: 'remove'; readonly tuple: GrantKey };

/** The current position in a zone's history. */
export interface ZoneHead {
  /** Number of committed changes of tuples or tokens; 0 for a new zone. */
  readonly revision: number;
  /**
   * A new random value for every revision, so that a restored store that reached the same number by other changes is
   * recognized as different. Empty at revision 0.
   */
  readonly history: string;
  /** A random value set when the zone is created, which identifies the store. Empty if the zone does not exist. */
  readonly origin: string;
}

/** How to get from an older state to `head`: by changes in order, or from scratch. */
export type GrantChanges =
  | { readonly kind: 'changes'; readonly head: ZoneHead; readonly changes: readonly GrantChange[] }
  | { readonly kind: 'all'; readonly head: ZoneHead; readonly tuples: readonly GrantTuple[] };

/** Reads the revision of a zone. */
export interface HeadStore {
  /** Never older than any write that was confirmed before this call. */
  head(zone: string): Soon<ZoneHead>;
  /** A hint that any process may have changed a zone. It can be late, repeated, or missing. */
  onChange(listener: (zone: string) => void): () => void;
}

export interface GrantStore extends HeadStore {
  /** `from` is the `history` of a head. If undefined, too old or unknown, returns all tuples. Reads one snapshot. */
  changes(zone: string, from: string | undefined): Soon<GrantChanges>;
  /** Resolves when the change is durable and no process can read an older state. */
  write(change: GrantWrite): Promise<GrantsWritten>;
  /** Sorted by object, relation, user. */
  grants(zone: string, filter?: GrantFilter): Promise<readonly StoredGrant[]>;
}

/** A credential. The secret is never stored, only its full SHA-256 as 64 hex digits. */
export interface TokenRecord {
  readonly id: string;
  readonly zone: string;
  readonly hash: string;
  /** `agent:alice`. */
  readonly principal: string;
  readonly label?: string;
  /** Limits the credential; also applies if its principal has no profile. */
  readonly profile?: string;
  /** Tool names and patterns. Other tools do not exist for this credential. */
  readonly tools?: readonly string[];
  /** The only workspace that the credential is valid for, as an absolute path. */
  readonly workspace?: string;
  /** The parent token. The token can never do more than its parent. */
  readonly parent?: string;
  /** For a child: whether it starts with its parent's active tools. */
  readonly inheritsActive?: boolean;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly expiresAt?: number;
  readonly revokedAt?: number;
  readonly lastUsedAt?: number;
}

export interface TokenStore extends HeadStore {
  findToken(hash: string): Soon<TokenRecord | undefined>;
  token(id: string): Soon<TokenRecord | undefined>;
  /** Returns the new revision. `expected` as in `GrantWrite`. */
  addToken(token: TokenRecord, record: AuditRecord, expected?: string): Promise<number>;
  /** Returns the new revision; undefined if the token does not exist in the zone or was already revoked. */
  revokeToken(
    zone: string,
    id: string,
    at: number,
    record: AuditRecord,
    expected?: string,
  ): Promise<number | undefined>;
  /** In order of creation. */
  tokens(zone: string): Promise<readonly TokenRecord[]>;
  /** Does not change the revision, and may be lost in a crash. */
  touchTokens(uses: readonly { readonly id: string; readonly at: number }[]): Promise<void>;
}

/** One event: a call, a refusal or a change of rights. Never contains arguments, results or secrets. */
export interface AuditRecord {
  readonly at: number;
  readonly zone: string;
  /** One of `audit-actions.ts`, or a name from another version. */
  readonly action: string;
  readonly decision: 'allow' | 'deny';
  /** The principal, `user:ana`, and its delegation chain from the root. */
  readonly principal: string;
  readonly chain?: readonly string[];
  readonly tokenId?: string;
  /** A tool, prompt or URI as given by the caller; for a change, what was changed. */
  readonly target?: string;
  /** The reason: `granted`, `admin`, `no_grant`, `blocked`, `unknown_tool`, … */
  readonly reason?: string;
  /** The result of an allowed call: `ok` or a fault code. */
  readonly outcome?: string;
  readonly requestId?: string;
  readonly traceId?: string;
  readonly sessionId?: string;
  /** The revision of the rights that was used. */
  readonly revision?: number;
  readonly model?: string;
  readonly ms?: number;
  /** Short details, such as what a change added and removed. */
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
  /** Only records after the one with this `seq`; empty if it no longer exists. */
  readonly before?: number;
  readonly limit: number;
}

export interface AuditStore {
  /** The store's clock, shared by all its users. It determines the age of records. */
  time(): Soon<number>;
  /** Resolves when they are stored. */
  appendAudit(records: readonly AuditRecord[]): Promise<void>;
  /** Newest first by time; records of the same time in reverse order of arrival. */
  audit(filter: AuditFilter): Promise<readonly StoredAudit[]>;
  /** Counts the records of a zone older than a given time. */
  countAudit(zone: string, before: number): Promise<number>;
  /** Removes records of a zone older than a given time, oldest first and at most `most`; returns how many. */
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
  | 'store.read_only'
  | 'store.newer_schema'
  | 'store.conflict'
  | 'store.closed'
  | 'store.lost';

/** Every failure of a store. Callers must treat it as a denial. */
export class StoreError extends Error {
  override readonly name = 'StoreError';
  readonly code: StoreErrorCode;
  constructor(code: StoreErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
