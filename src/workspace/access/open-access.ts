import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Access, createLateAccess, formatPrincipal } from '../../access/index.js';
import { type AccessStore, type AuditRecord, StoreError } from '../../access/ports/index.js';
import { type Config, findPolicy } from '../../config/index.js';
import { atMost } from '../../lib/at-most.js';
import type { Caller, Delegation, Observer, Principal, Request, Spec, Wanted } from '../../core/index.js';
import { AccessRefused } from '../access-refused.js';
import { openAuditKeeping } from './audit-keeping.js';
import { openKnownStore } from '../known-stores.js';
import { createLiveAccess, type LiveAccess } from './live-access.js';
import { openRights, type Rights, type RightsParts } from './open-rights.js';
import { openAccessStore } from '../open-store.js';
import { storeFile } from '../store-file.js';
import { openSpooledAudit } from './spooled-audit.js';
import { createWhyNot } from './why-not.js';
import { openWriteGuard, withWriteWatch } from './write-watch.js';

export interface AccessParts extends RightsParts {
  readonly operator: Principal;
  /** The principal of local sessions, if not the operator. */
  readonly as?: Principal;
  /** Callers other than the operator may connect; always true over HTTP. */
  readonly isShared: boolean;
  /** The command reads or changes access rules. */
  readonly needsAdmin: boolean;
  /** Finds a tool or resource by name, regardless of visibility. */
  readonly lookup: (wanted: Wanted) => Spec | undefined;
  /** The configuration file in use. */
  readonly configFile?: string;
  /** Whether this gateway offers tools of this name at all. */
  readonly isOffered: (name: string) => boolean;
}

/** Access rights, credentials and audit records of a gateway. */
export interface OpenedAccess {
  readonly access: Access;
  /** Applies configuration changes while the gateway runs. */
  readonly live: LiveAccess;
  /** Undefined until a caller other than the operator connects. */
  readonly rights: Rights | undefined;
  /** Opens the rights when first needed. */
  needRights(): Promise<Rights>;
  /** Resolves when the rights are opened; may never happen. */
  readonly whenRights: Promise<Rights>;
  readonly audit: Observer;
  /** Records an event that is not a call. */
  record(record: AuditRecord): void;
  /** Records a describe request that found nothing. */
  missed(request: Request): void;
  /** The local caller: the operator, or the principal given with `--as`. */
  readonly local: Caller;
  /** Limits a remote caller to the profile that the gateway was started with. */
  bound(caller: Caller): Caller;
  /** Opened on first use. */
  store(): Promise<AccessStore>;
  /** Moves spooled audit records into the store, with a time limit. */
  gather(): Promise<void>;
  close(): Promise<void>;
}

/** How long closing waits for the last audit records. */
const lastRecordsMs = 2000;
export async function openAccess(parts: AccessParts): Promise<OpenedAccess> {
  const { log, config } = parts;
  const { store, close: closeStore } = createLateStore(async () =>
    withWriteWatch(await openAccessStore(config.store, parts.stateDirectory, log), guard),
  );
  const access = createLateAccess();
  let whyNot = createWhyNot({ ...parts, authorizer: undefined });
  let keeping: ReturnType<typeof openAuditKeeping> | undefined;
  const warn = (message: string, fields?: Readonly<Record<string, unknown>>): void =>
    log('warn', message, fields);
  const audit = openSpooledAudit({
    ...parts,
    store,
    revision: () => rights?.authorizer.revision,
    hasRights: () => rights !== undefined,
    whyNot: (request) => whyNot(request),
    warn,
  });
  let rights: Rights | undefined;
  let openingRights: Promise<Rights> | undefined;
  const openedRights = createDeferred<Rights>();

  const live = createLiveAccess({ first: config, access, rights: () => rights, log });
  const guard = openWriteGuard({
    store,
    zone: config.access.zone,
    principal: formatPrincipal(parts.operator),
    onChange: (reason) => live.setWritable(reason),
  });

  async function use(opened: Rights, openedWith: Config): Promise<Rights> {
    rights = opened;
    if (live.config().access === openedWith.access) live.settle();
    // The file changed while the rights were being opened.
    else await live.reapply();
    opened.policy.onChange(() => live.settle());
    whyNot = createWhyNot({ ...parts, authorizer: opened.authorizer });
    void audit.gather();
    if (parts.isLive) keeping ??= openAuditKeeping({ ...keepingParts(parts), warn, store });
    openedRights.resolve(opened);
    return opened;
  }

  const needRights = (): Promise<Rights> => {
    const openedWith = live.config();
    openingRights ??= openRights({ ...parts, config: openedWith }, store).then(
      (opened) => use(opened, openedWith),
      (error: unknown) => {
        openingRights = undefined;
        throw error;
      },
    );
    return openingRights;
  };
  if (needsRightsAtOnce(parts)) await orRefused(needRights);
  return {
    access,
    live,
    get rights() {
      return rights;
    },
    needRights,
    whenRights: openedRights.promise,
    audit: audit.observer,
    record: (record) => audit.keep(record),
    missed: (request) => audit.missed(request),
    ...callersOf(parts),
    store,
    gather: () => audit.gather(),
    async close() {
      keeping?.close();
      guard.close();
      await atMost(lastRecordsMs, audit.close());
      await openingRights?.catch(() => undefined);
      await rights?.close();
      await closeStore();
    },
  };
}

function createDeferred<T>(): { readonly promise: Promise<T>; readonly resolve: (value: T) => void } {
  let resolve: (value: T) => void = () => undefined;
  const promise = new Promise<T>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

/** Opens the store on first use. After a failure, the next use tries again. */
function createLateStore(open: () => Promise<AccessStore>): {
  readonly store: () => Promise<AccessStore>;
  readonly close: () => Promise<void>;
} {
  let opening: Promise<AccessStore> | undefined;
  return {
    store() {
      opening ??= open().catch((error: unknown) => {
        opening = undefined;
        throw error;
      });
      return opening;
    },
    async close() {
      await (await opening?.catch(() => undefined))?.close();
    },
  };
}

function keepingParts({ config, operator }: AccessParts) {
  return {
    zone: config.access.zone,
    keep: config.access.auditKeep,
    principal: formatPrincipal(operator),
    now: () => Date.now(),
  };
}

/**
 * An existing store or policy file may contain access rules, so it is opened at startup. Otherwise nothing was ever
 * granted, and the store is opened when the first caller other than the operator connects.
 */
function needsRightsAtOnce({ as, profile, isShared, needsAdmin, ...parts }: AccessParts): boolean {
  if (as !== undefined || profile !== undefined || needsAdmin) return true;
  const { store } = parts.config;
  if (!isShared) return false;
  if (store.kind !== 'sqlite' || existsSync(storeFile(store, parts.stateDirectory))) return true;
  return hasPolicy(parts) || isKnownStore(parts);
}

/** If a missing store held access rules before, the gateway must refuse to start. */
function isKnownStore({ config, stateDirectory }: Pick<AccessParts, 'config' | 'stateDirectory'>): boolean {
  try {
    return openKnownStore(config.store, stateDirectory, () => undefined).isKnown();
  } catch {
    // Opening the store reports the error.
    return true;
  }
}

/** Errors in policy files should appear at startup, not for the first agent. */
function hasPolicy({ config, workspace }: Pick<AccessParts, 'config' | 'workspace'>): boolean {
  const { profiles, model } = config.access;
  const directory = config.file === undefined ? workspace : dirname(config.file);
  const named = { ...(profiles !== undefined && { profiles }), ...(model !== undefined && { model }) };
  const found = findPolicy({ directory, ...named });
  return found.profiles !== undefined || found.model !== undefined;
}

async function orRefused(open: () => Promise<unknown>): Promise<void> {
  try {
    await open();
  } catch (error) {
    if (error instanceof StoreError) throw new AccessRefused(error.code, error.message, { cause: error });
    throw error;
  }
}

function callersOf(parts: AccessParts): Pick<OpenedAccess, 'local' | 'bound'> {
  const { operator, profile } = parts;
  // The profile a gateway is started with limits everyone, including the operator.
  const delegations: readonly Delegation[] =
    profile === undefined ? [] : [{ principal: operator, rights: 'all', profile }];
  return { local: localCaller(parts, delegations), bound: createBound(delegations) };
}

/** Returns the same object for the same caller, because access results are cached by chain. */
function createBound(delegations: readonly Delegation[]): OpenedAccess['bound'] {
  if (delegations.length === 0) return (caller) => caller;
  const known = new WeakMap<Caller, Caller>();
  return (caller) => {
    let bound = known.get(caller);
    if (bound === undefined)
      known.set(caller, (bound = { ...caller, chain: [...delegations, ...caller.chain] }));
    return bound;
  };
}

function localCaller({ as, operator, profile }: AccessParts, delegations: readonly Delegation[]): Caller {
  if (as === undefined) {
    const chain: readonly Delegation[] =
      delegations.length > 0 ? delegations : [{ principal: operator, rights: 'all' }];
    return { principal: operator, chain, credential: 'operator' };
  }
  const own: Delegation = { principal: as, rights: 'own', ...(profile !== undefined && { profile }) };
  return { principal: as, chain: [own], credential: 'operator' };
}
