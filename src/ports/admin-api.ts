import type { Caller, Request } from '../core/index.js';

/** What the gate's own rooms do for the admin API, beside what every caller may ask. */
export const adminOperations = [
  'tokens',
  'createToken',
  'revokeToken',
  'profiles',
  'profile',
  'principal',
  'assignProfile',
  'grant',
  'revoke',
  'check',
  'explain',
  'exportAccess',
  'importAccess',
  'testAccess',
  'audit',
  'context',
  'pruneAudit',
] as const;
export type AdminOperation = (typeof adminOperations)[number];

/** A request to the admin API. */
export interface AdminRequest {
  readonly by: Caller;
  readonly requestId: string;
  /** What stands in the address. */
  readonly parameter: string;
  /** What stands behind the question mark, each name once. */
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** Whether the caller is an admin now: asked again in the state that a change is written to. */
  readonly isStillAdmin: () => boolean | Promise<boolean>;
}

export type AdminReply = { readonly value: unknown } | { readonly refused: AdminRefusal };

export interface AdminRefusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** The way forward. */
  readonly next?: string;
  /** Each thing that is wrong, where several are. */
  readonly problems?: readonly string[];
}

/** Who may, and what happens then. Throws or rejects when that cannot be found out now. */
export interface AdminApi {
  isAdmin(caller: Caller): boolean | Promise<boolean>;
  /** Told of whoever is no admin and wanted to be. */
  refused(attempt: RefusedAttempt): void;
  /** Told of whoever asked for a tool that is not there for him. */
  missed(request: Request): void;
  readonly operations: Readonly<Record<AdminOperation, (order: AdminRequest) => Promise<AdminReply>>>;
}

export interface RefusedAttempt {
  readonly by: Caller;
  readonly requestId: string;
  /** The route: one of the operations, or what every caller may ask. */
  readonly operation: string;
}
