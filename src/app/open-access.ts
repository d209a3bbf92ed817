import { dirname, join } from 'node:path';
import { type Access, createOperatorAccess } from '../access/index.js';
import type { Authority } from '../access/authority/index.js';
import type { Credentials } from '../access/identity/index.js';
import { openAudit } from '../access/audit/index.js';
import { type AccessStore, StoreError, type StoreErrorCode } from '../access/ports.js';
import { redactText } from '../concerns/log/index.js';
import { type Config, hasErrors, type Trust } from '../config/index.js';
import { ConfigRefused } from './config-refused.js';
import {
  atMost,
  type Caller,
  type Link,
  type Observer,
  type Principal,
  type Spec,
  type Wanted,
} from '../kernel/index.js';
import type { OpenPolicy } from './open-policy.js';
import { openAccessStore } from './open-store.js';
import { createWhyNot } from './why-not.js';

export interface AccessParts {
  readonly config: Config;
  readonly stateDirectory: string;
  /** Where profiles stand when there is no configuration file. */
  readonly workspace: string;
  readonly trust: Trust;
  /** Whether files are followed while the gate runs. */
  readonly isLive: boolean;
  readonly operator: Principal;
  /** Who local sessions act as, when not the operator. */
  readonly as?: Principal;
  /** What nobody at this gate goes beyond. */
  readonly profile?: string;
  /** Others than the operator may come: over HTTP they always may. */
  readonly isShared: boolean;
  /** What there is by that name, whoever may see it. */
  readonly lookup: (wanted: Wanted) => Spec | undefined;
  /** Whether the gate offers tools of this name at all. */
  readonly isOffered: (name: string) => boolean;
  readonly log: (
    level: 'warn' | 'info' | 'error',
    message: string,
    fields?: Readonly<Record<string, unknown>>,
  ) => void;
}

/** Rights, credentials and records of a gate. */
export interface OpenedAccess {
  readonly access: Access;
  /** Absent where the operator is the only caller. */
  readonly rights: Rights | undefined;
  readonly audit: Observer;
  /** Who calls from this machine: the operator, or whom it was told to act as. */
  readonly local: Caller;
  /** The chain of a caller who came by another door, bound by what this gate was started with. */
  bound(caller: Caller): Caller;
  /** Opened when it is first asked for. */
  store(): Promise<AccessStore>;
  close(): Promise<void>;
}

export interface Rights {
  readonly authority: Authority;
  readonly credentials: Credentials;
  readonly policy: OpenPolicy;
}

/** A gate that cannot say who may do what is not opened. */
export class AccessRefused extends Error {
  readonly code: AccessCode;
  constructor(code: AccessCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}

export type AccessCode = StoreErrorCode | 'access.bad_principal' | 'access.unknown_profile';

/** How long a closing gate waits for its last records. */
const lastRecordsMs = 2000;

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
  const needsRights = parts.isShared || parts.as !== undefined || parts.profile !== undefined;
  const rights = needsRights ? await openRights(parts, await orRefused(store)) : undefined;
  const audit = openAudit({
    store,
    now: () => Date.now(),
    revision: () => rights?.authority.revision,
    whyNot: createWhyNot({ ...parts, authority: rights?.authority }),
    redact: redactText,
    warn: (message, fields) => log('warn', message, fields),
  });
  const gateLinks = linksOfGate(parts);
  return {
    access: rights?.authority ?? createOperatorAccess(),
    rights,
    audit: audit.observer,
    local: localCaller(parts, gateLinks),
    bound: createBound(gateLinks),
    store,
    async close() {
      await atMost(lastRecordsMs, audit.close());
      rights?.policy.close();
      rights?.authority.close();
      await rights?.credentials.close();
      await (await opening?.catch(() => undefined))?.close();
    },
  };
}

async function orRefused(open: () => Promise<AccessStore>): Promise<AccessStore> {
  try {
    return await open();
  } catch (error) {
    if (error instanceof StoreError) throw new AccessRefused(error.code, error.message, { cause: error });
    throw error;
  }
}

async function openRights(parts: AccessParts, store: AccessStore): Promise<Rights> {
  const { zone } = parts.config.access;
  const [{ openAuthority }, { openCredentials }, { loadConditions }, { openPolicy }] = await Promise.all([
    import('../access/authority/index.js'),
    import('../access/identity/index.js'),
    import('../access/engine/index.js'),
    import('./open-policy.js'),
  ]);
  const { profile, config } = parts;
  const policy = await openPolicy({
    place: {
      directory: config.file === undefined ? parts.workspace : dirname(config.file),
      access: config.access,
      trust: parts.trust,
      ...(config.file !== undefined && { configFile: config.file }),
    },
    ...(profile !== undefined && { profile }),
    isLive: parts.isLive,
    trustFile: join(parts.stateDirectory, 'trust.json'),
    log: parts.log,
  });
  if (hasErrors(policy.problems)) throw new ConfigRefused(policy.problems);
  if (profile !== undefined) requireProfile(profile, policy);
  const now = (): number => Date.now();
  const credentials = openCredentials({
    store,
    zone,
    now,
    log: (message, fields) => parts.log('warn', message, fields),
  });
  const authority = openAuthority({
    store,
    zone,
    model: policy.model,
    conditions: await loadConditions(policy.model),
    policy: policy.current(),
    isAlive: (tokenId) => credentials.isAlive(tokenId),
    confirm: (tokenId, revision) => credentials.check(tokenId, revision),
    now,
    log: parts.log,
  });
  policy.onChange((next) => authority.setPolicy(next));
  await authority.refresh();
  return { authority, credentials, policy };
}

function requireProfile(profile: string, policy: OpenPolicy): void {
  const { names } = policy.current();
  if (names.has(profile)) return;
  const unused = policy.untrusted().map((file) => ` ${file} is not used: nobody trusted it.`);
  const message = `There is no profile "${profile}". There are: ${[...names].sort().join(', ')}.${unused.join('')}`;
  throw new AccessRefused('access.unknown_profile', message);
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
