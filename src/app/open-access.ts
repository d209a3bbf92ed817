import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { type Access, createLateAccess } from '../access/index.js';
import { openAudit } from '../access/audit/index.js';
import { formatPrincipal } from '../access/object-ids.js';
import { type AccessStore, type AuditRecord, type AuditStore, StoreError } from '../access/ports.js';
import { redactText } from '../concerns/log/index.js';
import { findPolicy } from '../config/index.js';
import {
  atMost,
  type Caller,
  type Link,
  type Observer,
  type Principal,
  type Request,
  type Spec,
  type Wanted,
} from '../kernel/index.js';
import { AccessRefused } from './access-refused.js';
import { openAuditKeeping } from './audit-keeping.js';
import { drainAuditSpool, isSpoolFull, openAuditSpool } from './audit-spool.js';
import { openRights, type Rights, type RightsParts } from './open-rights.js';
import { openAccessStore, storeFile } from './open-store.js';
import { createWhyNot } from './why-not.js';

export interface AccessParts extends RightsParts {
  readonly operator: Principal;
  /** Who local sessions act as, when not the operator. */
  readonly as?: Principal;
  /** Others than the operator may come: over HTTP they always may. */
  readonly isShared: boolean;
  /** Somebody looks at rights or changes them. */
  readonly needsDesk: boolean;
  /** What there is by that name, whoever may see it. */
  readonly lookup: (wanted: Wanted) => Spec | undefined;
  /** The configuration file of this place. */
  readonly configFile?: string;
  /** Whether the gate offers tools of this name at all. */
  readonly isOffered: (name: string) => boolean;
}

/** Rights, credentials and records of a gate. */
export interface OpenedAccess {
  readonly access: Access;
  /** Undefined as long as nobody but the operator was there. */
  readonly rights: Rights | undefined;
  /** Opens them for the first one who is somebody else, or who asks about others. */
  needRights(): Promise<Rights>;
  /** Resolves when they are opened, if they ever are. */
  readonly whenRights: Promise<Rights>;
  readonly audit: Observer;
  /** Keeps a record of what is no attempt to use anything. */
  record(record: AuditRecord): void;
  /** Keeps a record of whoever asked what something is, and found nothing. */
  missed(request: Request): void;
  /** Who calls from this machine: the operator, or whom it was told to act as. */
  readonly local: Caller;
  /** The chain of a caller who came by another door, bound by what this gate was started with. */
  bound(caller: Caller): Caller;
  /** Opened when it is first asked for. */
  store(): Promise<AccessStore>;
  /** Brings into the store what gates without one have left, as far as that takes no longer than people wait. */
  gather(): Promise<void>;
  close(): Promise<void>;
}

/** How long a closing gate waits for its last records. */
const lastRecordsMs = 2000;
/** How long somebody who wants to see records waits for those of other gates. */
const gatherMs = 3000;

export async function openAccess(parts: AccessParts): Promise<OpenedAccess> {
  const { log, config } = parts;
  let opening: Promise<AccessStore> | undefined;
  const store = (): Promise<AccessStore> => {
    opening ??= openAccessStore(config.store, parts.stateDirectory, log).catch((error: unknown) => {
      // The next one who needs it tries again.
      opening = undefined;
      throw error;
    });
    return opening;
  };
  const access = createLateAccess();
  const spoolFolder = join(parts.stateDirectory, 'audit');
  let whyNot = createWhyNot({ ...parts, authority: undefined });
  let gathering: Promise<void> = Promise.resolve();
  let keeping: ReturnType<typeof openAuditKeeping> | undefined;
  const warn = (message: string, fields?: Readonly<Record<string, unknown>>): void =>
    log('warn', message, fields);
  const keepingParts = {
    zone: config.access.zone,
    keep: config.access.auditKeep,
    principal: formatPrincipal(parts.operator),
    now: () => Date.now(),
    warn,
  };

  /** One at a time: what the other one has taken is not in the store yet. */
  function gather(): Promise<void> {
    const next = gathering.then(async () => drainAuditSpool(spoolFolder, await store(), warn));
    // Whoever wants the records hears of the store by asking for them.
    gathering = next.catch(() => undefined);
    return atMost(gatherMs, gathering).then(() => undefined);
  }
  let rights: Rights | undefined;
  let openingRights: Promise<Rights> | undefined;
  let areOpen: (opened: Rights) => void = () => {};
  const whenRights = new Promise<Rights>((resolve) => {
    areOpen = resolve;
  });

  function use(opened: Rights): Rights {
    rights = opened;
    access.judgeBy(opened.authority);
    whyNot = createWhyNot({ ...parts, authority: opened.authority });
    void gather();
    if (parts.isLive) keeping ??= openAuditKeeping({ ...keepingParts, store });
    areOpen(opened);
    return opened;
  }

  const needRights = (): Promise<Rights> => {
    openingRights ??= openRights(parts, store).then(use, (error: unknown) => {
      openingRights = undefined;
      throw error;
    });
    return openingRights;
  };
  if (needsRightsAtOnce(parts)) await orRefused(needRights);
  const spool = openAuditSpool({ directory: spoolFolder });

  /** To load a database for writing down what the operator himself does would cost more than the rest of the gate. */
  async function recordKeeper(): Promise<Pick<AuditStore, 'appendAudit'>> {
    if (rights !== undefined) return store();
    if (config.store.kind === 'memory' || !(await isSpoolFull(spoolFolder))) return spool;
    const kept = await store();
    await drainAuditSpool(spoolFolder, kept, warn);
    return kept;
  }

  const audit = openAudit({
    store: recordKeeper,
    now: () => Date.now(),
    revision: () => rights?.authority.revision,
    whyNot: (request) => whyNot(request),
    redact: redactText,
    ...(parts.configFile !== undefined && { place: parts.configFile }),
    warn,
  });
  const gateLinks = linksOfGate(parts);
  return {
    access,
    get rights() {
      return rights;
    },
    needRights,
    whenRights,
    audit: audit.observer,
    record: (record) => audit.keep(record),
    missed: (request) => audit.missed(request),
    local: localCaller(parts, gateLinks),
    bound: createBound(gateLinks),
    store,
    gather,
    async close() {
      keeping?.close();
      await atMost(lastRecordsMs, audit.close());
      await openingRights?.catch(() => undefined);
      await rights?.close();
      await (await opening?.catch(() => undefined))?.close();
    },
  };
}

/**
 * Where a store or a file of policy is there already, it may know of others than the operator. Where none is yet, nobody was
 * ever given anything: then it is opened for the first one who comes and is not the operator.
 */
function needsRightsAtOnce({ as, profile, isShared, needsDesk, ...parts }: AccessParts): boolean {
  if (as !== undefined || profile !== undefined || needsDesk) return true;
  const { store } = parts.config;
  if (!isShared) return false;
  return store.kind !== 'sqlite' || existsSync(storeFile(store, parts.stateDirectory)) || hasPolicy(parts);
}

/** What is wrong with the file is told at the start, not to the first agent that comes. */
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

/** A gate that was started with a profile shows nobody more than that, its operator included. */
function linksOfGate({ operator, profile }: AccessParts): readonly Link[] {
  return profile === undefined ? [] : [{ principal: operator, rights: 'all', profile }];
}

/** The same caller comes out the same each time: what was found out about a chain is remembered by it. */
function createBound(gate: readonly Link[]): OpenedAccess['bound'] {
  if (gate.length === 0) return (caller) => caller;
  const known = new WeakMap<Caller, Caller>();
  return (caller) => {
    let bound = known.get(caller);
    if (bound === undefined) known.set(caller, (bound = { ...caller, chain: [...gate, ...caller.chain] }));
    return bound;
  };
}

function localCaller({ as, operator, profile }: AccessParts, gate: readonly Link[]): Caller {
  if (as === undefined) {
    const chain: readonly Link[] = gate.length > 0 ? gate : [{ principal: operator, rights: 'all' }];
    return { principal: operator, chain, credential: 'operator' };
  }
  const link: Link = { principal: as, rights: 'own', ...(profile !== undefined && { profile }) };
  return { principal: as, chain: [link], credential: 'operator' };
}
