import type { Credentials } from '../access/tokens/index.js';
import { type AccessStore, type AuditRecord, StoreError } from '../access/ports/index.js';
import type { Gateway } from '../gateway/index.js';
import { type Caller, isOperator, type Principal, type Session } from '../core/index.js';
import type { CredentialWatch, Identify } from '../transports/http/index.js';
import type { AdminApi, RefusedAttempt } from '../ports/admin-api.js';
import { adminParts } from '../features/admin/admin-parts.js';
import { createCredentialWatch, createIdentify } from './identify.js';
import type { OpenedAccess } from '../workspace/access/open-access.js';
import type { OpenedExposure } from '../workspace/open-exposure.js';
import { createRightsOperations } from '../features/admin/rights-operations.js';
import { createContextOperation } from '../features/context/context-operation.js';
import type { LiveParts } from '../features/context/index.js';
import { actorOf, createTokenOperations } from '../features/admin/token-operations.js';

export interface HttpAccessParts {
  readonly opened: OpenedAccess;
  readonly gateway: Gateway;
  readonly exposure: OpenedExposure;
  readonly live: LiveParts;
  readonly operator: Principal;
  readonly zone: string;
  /** Whether this is the operator token. */
  readonly isOperator: (authorization: string | undefined) => boolean;
  /** True: a token is required whatever `http.auth` says, because other workspaces share the address. */
  readonly isShared: boolean;
}

/** Authentication, credential lifetime and admin API over HTTP. */
export interface HttpAccess {
  readonly identify: Identify;
  readonly credentials: CredentialWatch;
  readonly adminApi: AdminApi;
}

export function createHttpAccess(parts: HttpAccessParts): HttpAccess {
  const {
    opened,
    zone,
    gateway,
    exposure: _exposure,
    live: _live,
    operator: principal,
    isShared,
    ...entry
  } = parts;
  const { local: operator } = opened;
  const profiles = (): readonly string[] | undefined =>
    opened.rights && [...opened.rights.authorizer.policy.names];
  const hints = createHints(opened);
  const credentials = (rights: NonNullable<OpenedAccess['rights']>): Credentials => {
    hints.listenTo(rights.credentials);
    return rights.credentials;
  };
  // Creating tokens needs the profile names, which are known once the rights are open.
  const storeWithRights = async (): Promise<AccessStore> => {
    await opened.needRights();
    return opened.store();
  };
  let opening: ReturnType<typeof adminParts> | undefined;
  const rightsAdmin = (): ReturnType<typeof adminParts> =>
    (opening ??= adminParts({ opened, gateway, operator: principal, patienceMs }).catch((error: unknown) => {
      // The next request tries again.
      opening = undefined;
      throw error;
    }));
  return {
    identify: createIdentify({
      ...entry,
      auth: isShared ? () => 'token' : opened.live.auth,
      operator,
      credentials: () => (opened.rights ? credentials(opened.rights) : opened.needRights().then(credentials)),
      bound: (caller) => opened.bound(caller),
    }),
    credentials: {
      ...createCredentialWatch(() => opened.rights?.credentials, hints.onChange),
      keptOut: (fields) => opened.record(keptOut(zone, fields)),
    },
    adminApi: {
      isAdmin: (caller) => isAdmin(opened.live.isClosed() ? undefined : opened.rights, caller),
      refused: (attempt) => recordRefusal(opened, zone, attempt),
      missed: (request) => opened.missed(request),
      operations: {
        ...createTokenOperations({ store: storeWithRights, zone, now: () => Date.now(), profiles }),
        ...createRightsOperations(rightsAdmin),
        context: createContextOperation(parts),
      },
    },
  };
}

/** Notifies listeners when credentials may have become invalid, including credentials opened later. */
function createHints({ access }: OpenedAccess): {
  readonly onChange: CredentialWatch['onChange'];
  readonly listenTo: (credentials: Credentials) => void;
} {
  const listeners = new Set<() => void>();
  const tell = (): void => {
    for (const listener of [...listeners]) listener();
  };
  let known: Credentials | undefined;
  return {
    onChange(listener) {
      listeners.add(listener);
      const stop = access.onChange(listener);
      return () => {
        stop();
        listeners.delete(listener);
      };
    },
    listenTo(credentials) {
      if (known === credentials) return;
      known = credentials;
      credentials.onChange(tell);
    },
  };
}

/** One record for all failed authentications of a period, with their count and reasons. */
function keptOut(zone: string, detail: Readonly<Record<string, unknown>>): AuditRecord {
  const { reasons } = detail;
  const reason = typeof reasons === 'object' && reasons !== null ? Object.keys(reasons).sort().join(' ') : '';
  const known = {
    at: Date.now(),
    zone,
    action: 'authenticate',
    decision: 'deny',
    principal: 'nobody',
  } as const;
  return { ...known, reason, detail };
}

/** Records a refused attempt to use the admin API, like a refused call. */
function recordRefusal(opened: OpenedAccess, zone: string, attempt: RefusedAttempt): void {
  const record = {
    at: Date.now(),
    zone,
    action: 'admin',
    decision: 'deny',
    reason: 'admin_required',
  } as const;
  const { operation: target } = attempt;
  opened.record({ ...record, ...actorOf(attempt), target });
}

/** How long an admin request waits for servers that have never listed their tools. */
const patienceMs = 10_000;

export async function isAdmin(rights: OpenedAccess['rights'], caller: Caller): Promise<boolean> {
  const { principal, chain, credential } = caller;
  // The operator is an admin without asking the store.
  if (isOperator(caller)) return true;
  // Grants and tokens are shared by all workspaces of a store, so a token of one workspace must not change them.
  if (rights === undefined || caller.workspace !== undefined) return false;
  const session: Session = { id: `admin/${credential}`, principal, chain, scope: 'credential' };
  await rights.authorizer.refresh(session);
  if (rights.authorizer.revision === undefined) {
    throw new StoreError(
      'store.unavailable',
      'The store does not respond, so admin rights cannot be checked.',
    );
  }
  return rights.authorizer.isAdmin(session);
}
