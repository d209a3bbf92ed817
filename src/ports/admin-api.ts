import type { Caller, Request } from '../core/index.js';

/** Operations of the admin API, besides those open to every caller. */
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
  /** The variable part of the path. */
  readonly parameter: string;
  /** The query string, each name once. */
  readonly query: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  /** Whether the caller is still an admin; checked again in the state that a change is written to. */
  readonly isStillAdmin: () => boolean | Promise<boolean>;
}

export type AdminReply = { readonly value: unknown } | { readonly refused: AdminRefusal };

export interface AdminRefusal {
  readonly status: number;
  readonly code: string;
  readonly message: string;
  /** How to fix it. */
  readonly next?: string;
  /** All problems, if there are several. */
  readonly problems?: readonly string[];
}

/** Checks rights and runs operations. Throws or rejects if the rights cannot be checked now. */
export interface AdminApi {
  isAdmin(caller: Caller): boolean | Promise<boolean>;
  /** Called when a request needs admin rights that its caller lacks. */
  refused(attempt: RefusedAttempt): void;
  /** Called when a caller requests a tool that is absent or hidden for it. */
  missed(request: Request): void;
  readonly operations: Readonly<Record<AdminOperation, (order: AdminRequest) => Promise<AdminReply>>>;
}

export interface RefusedAttempt {
  readonly by: Caller;
  readonly requestId: string;
  /** One of the operations, or a route open to every caller. */
  readonly operation: string;
}
