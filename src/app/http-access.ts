import type { Credentials } from '../access/identity/index.js';
import { type AccessStore, type AuditRecord, StoreError } from '../access/ports.js';
import type { Gateway } from '../gateway/index.js';
import type { Caller, Principal, Session } from '../kernel/index.js';
import type { AdminDesk, CredentialWatch, Identify, RefusedAttempt } from '../wire/http.js';
import { deskParts } from './desk-parts.js';
import { createCredentialWatch, createIdentify } from './identify.js';
import type { OpenedAccess } from './open-access.js';
import type { OpenedSurface } from './open-surface.js';
import { createRightsOperations } from './rights-operations.js';
import { createSurfaceOperation } from './surface-operation.js';
import { actorOf, createTokenOperations } from './token-operations.js';

export interface HttpAccessParts {
  readonly opened: OpenedAccess;
  readonly gateway: Gateway;
  readonly surface: OpenedSurface;
  readonly operator: Principal;
  readonly zone: string;
  readonly auth: 'token' | 'none';
  /** Whether this is the operator's own token. */
  readonly isOperator: (authorization: string | undefined) => boolean;
}

/** Who comes in over HTTP, how long they may stay, and what admins do there. */
export interface HttpAccess {
  readonly identify: Identify;
  readonly credentials: CredentialWatch;
  readonly desk: AdminDesk;
}

export function createHttpAccess(parts: HttpAccessParts): HttpAccess {
  const { opened, zone, gateway, surface: _surface, operator: principal, ...entry } = parts;
  const { local: operator } = opened;
  const profiles = (): readonly string[] | undefined =>
    opened.rights && [...opened.rights.authority.policy.names];
  const hints = createHints(opened);
  const credentials = (rights: NonNullable<OpenedAccess['rights']>): Credentials => {
    hints.listenTo(rights.credentials);
    return rights.credentials;
  };
  // Whoever makes tokens names profiles: which there are is known with the rights.
  const storeWithRights = async (): Promise<AccessStore> => {
    await opened.needRights();
    return opened.store();
  };
  let opening: ReturnType<typeof deskParts> | undefined;
  const rightsDesk = (): ReturnType<typeof deskParts> =>
    (opening ??= deskParts({ opened, gateway, operator: principal, patienceMs }).catch((error: unknown) => {
      // The next one who asks tries again.
      opening = undefined;
      throw error;
    }));
  return {
    identify: createIdentify({
      ...entry,
      operator,
      credentials: () => (opened.rights ? credentials(opened.rights) : opened.needRights().then(credentials)),
      bound: (caller) => opened.bound(caller),
    }),
    credentials: {
      ...createCredentialWatch(() => opened.rights?.credentials, hints.onChange),
      keptOut: (fields) => opened.record(keptOut(zone, fields)),
    },
    desk: {
      isAdmin: (caller) => isAdmin(opened.rights, caller),
      refused: (attempt) => recordRefusal(opened, zone, attempt),
      missed: (request) => opened.missed(request),
      operations: {
        ...createTokenOperations({ store: storeWithRights, zone, now: () => Date.now(), profiles }),
        ...createRightsOperations(rightsDesk),
        surface: createSurfaceOperation(parts),
      },
    },
  };
}

/** That credentials may have become void: of those that are opened later too. */
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

/** Nobody knows who they were: one record stands for all of a while, with their number and the reasons. */
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

/** That somebody wanted to look at rights or change them is worth a record, like a call that was refused. */
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

/** How long an admin waits for servers that never listed. */
const patienceMs = 10_000;

async function isAdmin(rights: OpenedAccess['rights'], caller: Caller): Promise<boolean> {
  const { principal, chain, credential } = caller;
  // The operator needs no store to be the operator.
  if (chain.every(isUnbound)) return true;
  if (rights === undefined) return false;
  const session: Session = { id: `admin/${credential}`, principal, chain, scope: 'credential' };
  await rights.authority.refresh(session);
  if (rights.authority.revision === undefined) {
    throw new StoreError('store.unavailable', 'Who is an admin cannot be found out now.');
  }
  return rights.authority.isAdmin(session);
}

function isUnbound({ rights, profile, tools }: Caller['chain'][number]): boolean {
  return rights === 'all' && profile === undefined && tools === undefined;
}
