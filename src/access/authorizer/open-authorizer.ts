import { messageOf } from '../../lib/error-message.js';
import type { Delegation, Session, Spec } from '../../core/index.js';
import type { CompiledModel, Conditions } from '../engine/index.js';
import { type GrantStore, type Soon, StoreError, type ZoneHead } from '../ports/index.js';
import type { Access, Visibility } from '../visible.js';
import { explainDelegation, type DelegationAnswer, type Reason } from './explain.js';
import type { Action, Predicate } from './link-predicate.js';
import { createPredicates, denies, type Predicates, tuplesetsOf } from './predicates.js';
import type { Policy } from './policy.js';
import { createReplica, isLater, type Replica } from './replica.js';

export interface AuthorizerParts {
  readonly store: GrantStore;
  readonly zone: string;
  readonly model: CompiledModel;
  readonly conditions: Conditions;
  readonly policy: Policy;
  /** Whether a credential is still valid. A link with an invalid credential allows nothing. */
  readonly isAlive: (tokenId: string) => boolean;
  /** Refreshes `isAlive` to this revision of the store. */
  readonly confirm: (tokenId: string, head: ZoneHead) => Soon<boolean>;
  readonly now: () => number;
  /** Called when the store stops responding, and when it responds again. */
  readonly log: (level: 'warn' | 'info', message: string, fields?: Readonly<Record<string, unknown>>) => void;
}

/** Why a delegation chain allows a definition, or which link denies it. */
export interface ChainAnswer {
  readonly isAllowed: boolean;
  readonly reason: Reason;
  readonly revision: number | undefined;
  readonly links: readonly DelegationAnswer[];
}

/** The view of the admin service: the same evaluator, with reasons. */
export interface Authorizer extends Access {
  readonly zone: string;
  /** The revision behind the last answers; undefined while the store does not respond. */
  readonly revision: number | undefined;
  readonly replica: Replica;
  predicates(): Predicates;
  /** The decision with its reasons, at the revision of the last answers. */
  explain(session: Session, spec: Spec | undefined, action: Action): ChainAnswer;
  /** Whether every link of the session's chain is the operator or an admin of the zone. */
  isAdmin(session: Session): boolean;
  setPolicy(policy: Policy): void;
  readonly policy: Policy;
  close(): void;
}

const everything: Visibility = Object.freeze({ visible: true, callable: true });
const seen: Visibility = Object.freeze({ visible: true, callable: false });
const nothing: Visibility = Object.freeze({ visible: false, callable: false });
/** The longest possible timer. It is set again for a later expiry. */
const longestTimer = 2 ** 31 - 1;

/** The authorizer: decides from a store, a policy and the clock. Denies if the answer is unknown. */
export function openAuthorizer(parts: AuthorizerParts): Authorizer {
  return new StoreAuthorizer(parts);
}

class StoreAuthorizer implements Authorizer {
  readonly zone: string;
  readonly replica: Replica;
  readonly #parts: AuthorizerParts;
  /** Replaced whenever answers may change. */
  #rights = Symbol('rights');
  readonly #listeners = new Set<() => void>();
  readonly #stopListening: () => void;
  #policy: Policy;
  #predicates: Predicates;
  #failure: unknown = new StoreError('store.unavailable', 'not read yet');
  #isFailureLogged = false;
  #head: ZoneHead | undefined;
  /** When a time condition changes next. Undefined: an unpredictable condition must be evaluated each time. */
  #changesAt: number | undefined = Number.POSITIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: AuthorizerParts) {
    const { store, zone, model, policy } = parts;
    this.zone = zone;
    this.#parts = parts;
    this.#policy = policy;
    const onApplied = (): void => this.#predicates.renew();
    this.replica = createReplica({ store, zone, tuplesets: tuplesetsOf(model), onApplied });
    this.#predicates = createPredicates({ ...parts, replica: this.replica });
    this.#stopListening = store.onChange((changed) => {
      if (changed === zone) void this.refresh();
    });
  }

  get revision(): number | undefined {
    return this.#failure === undefined ? this.#head?.revision : undefined;
  }

  get policy(): Policy {
    return this.#policy;
  }

  predicates(): Predicates {
    return this.#predicates;
  }

  refresh(session?: Session): Promise<void> | undefined {
    try {
      const later = this.replica.refresh();
      if (later !== undefined)
        return later.then(() => this.#refreshed(session)).catch((error: unknown) => this.#failed(error));
      return this.#refreshed(session)?.catch((error: unknown) => this.#failed(error));
    } catch (error) {
      this.#failed(error);
      return undefined;
    }
  }

  visible(session: Session, spec: Spec): Visibility {
    const chain = this.#validChain(session);
    return chain === undefined ? nothing : visibilityOf(this.#predicatesOf(chain), spec);
  }

  rightsOf(session: Session): symbol | 'none' | undefined {
    if (this.#validChain(session) === undefined) return 'none';
    return this.#changesAt === undefined ? undefined : this.#rights;
  }

  explain(session: Session, spec: Spec | undefined, action: Action): ChainAnswer {
    const { revision, zone } = this;
    const chain = chainOf(session);
    const denied = (reason: Reason): ChainAnswer => ({ isAllowed: false, reason, revision, links: [] });
    if (this.#failure !== undefined) return denied('store_unavailable');
    if (session.principal.zone !== zone || chain.some(({ principal }) => principal.zone !== zone))
      return denied('wrong_zone');
    if (!chain.every((delegation) => this.#isValid(delegation))) return denied('credential_void');
    if (spec === undefined) return denied('unknown_tool');
    const links = chain.map((delegation) => explainDelegation(this.#predicates, delegation, spec, action));
    return { ...decisionOf(links), revision, links };
  }

  isAdmin(session: Session): boolean {
    const chain = this.#validChain(session);
    if (chain === undefined) return false;
    try {
      return chain.every((delegation) => this.#isAdminLink(delegation));
    } catch (error) {
      if (denies(error)) return false;
      throw error;
    }
  }

  setPolicy(policy: Policy): void {
    this.#policy = policy;
    this.#predicates = createPredicates({ ...this.#parts, policy, replica: this.replica });
    this.#changed();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#stopListening();
    this.#listeners.clear();
  }

  /** The tuples are fresh; now refresh the session's credentials. */
  #refreshed(session: Session | undefined): Promise<void> | undefined {
    this.#succeeded();
    const head = this.#head;
    if (session?.chain === undefined || head === undefined) return undefined;
    const checks = session.chain.flatMap(({ tokenId }) =>
      tokenId === undefined ? [] : [this.#parts.confirm(tokenId, head)],
    );
    const later = checks.filter(isLater);
    return later.length > 0 ? Promise.all(later).then(() => undefined) : undefined;
  }

  #succeeded(): void {
    if (this.#isFailureLogged) this.#parts.log('info', 'the access store responds again');
    this.#isFailureLogged = false;
    const isNews = this.#failure !== undefined || this.replica.head !== this.#head;
    this.#failure = undefined;
    if (isNews) this.#changed();
  }

  #failed(error: unknown): void {
    this.#failure = error;
    if (this.#isFailureLogged) return;
    this.#isFailureLogged = true;
    const code = error instanceof StoreError ? error.code : 'internal';
    const fields = { code, message: messageOf(error) };
    this.#parts.log('warn', 'the access store does not respond, so nothing is visible until it does', fields);
    for (const listener of this.#listeners) listener();
  }

  /** Invalidates all previous answers and notifies listeners. */
  #changed(): void {
    this.#predicates.renew();
    this.#rights = Symbol('rights');
    this.#head = this.replica.head;
    this.#awaitNextChange();
    for (const listener of this.#listeners) listener();
  }

  /** A time condition changes rights without a write, so a timer is needed. */
  #awaitNextChange(): void {
    const now = this.#parts.now();
    clearTimeout(this.#timer);
    this.#changesAt = this.replica.nextTurn(now);
    if (this.#changesAt === undefined || this.#changesAt === Number.POSITIVE_INFINITY) return;
    const ms = Math.min(this.#changesAt - now + 1, longestTimer);
    this.#timer = setTimeout(() => this.#changed(), ms).unref();
  }

  /** The links of a session; undefined if one of them is not valid, or if that is unknown. */
  #validChain(session: Session): readonly Delegation[] | undefined {
    if (this.#failure !== undefined || session.principal.zone !== this.zone) return undefined;
    // The timer may be late, but a grant must end on time.
    if (this.#changesAt !== undefined && this.#parts.now() >= this.#changesAt) this.#changed();
    const chain = chainOf(session);
    const isValid = chain.length > 0 && chain.every((delegation) => this.#isValid(delegation));
    return isValid ? chain : undefined;
  }

  #isValid({ principal, tokenId }: Delegation): boolean {
    return principal.zone === this.zone && (tokenId === undefined || this.#parts.isAlive(tokenId));
  }

  /** Undefined: a link could not be evaluated, so neither can the chain. */
  #predicatesOf(chain: readonly Delegation[]): readonly Predicate[] | undefined {
    try {
      return chain.map((delegation) => this.#predicates.predicateFor(delegation));
    } catch (error) {
      if (denies(error)) return undefined;
      throw error;
    }
  }

  #isAdminLink({ principal, rights, profile, tools }: Delegation): boolean {
    if (profile !== undefined || tools !== undefined) return false;
    return rights === 'all' || (rights === 'own' && this.#predicates.isAdmin(principal));
  }
}

/** Always evaluates both, so that timing does not reveal the first answer. */
function visibilityOf(predicates: readonly Predicate[] | undefined, spec: Spec): Visibility {
  const isVisible = isAllowed(predicates, spec, 'see');
  const isCallable = isAllowed(predicates, spec, 'call');
  if (!isVisible) return nothing;
  return isCallable ? everything : seen;
}

function isAllowed(predicates: readonly Predicate[] | undefined, spec: Spec, action: Action): boolean {
  try {
    return predicates?.every((allows) => allows(spec, action)) === true;
  } catch (error) {
    if (denies(error)) return false;
    throw error;
  }
}

/** The first link that denies decides. If it is not the last one, the caller's parent lacks the right. */
function decisionOf(links: readonly DelegationAnswer[]): Pick<ChainAnswer, 'isAllowed' | 'reason'> {
  const last = links.length - 1;
  const denying = links.findIndex((link) => !link.isAllowed);
  if (denying !== -1 && denying < last) return { isAllowed: false, reason: 'parent_lacks' };
  return { isAllowed: denying === -1 && links.length > 0, reason: links[last]?.reason ?? 'no_grant' };
}

const plainChains = new WeakMap<Session, readonly Delegation[]>();

export function chainOf(session: Session): readonly Delegation[] {
  if (session.chain !== undefined) return session.chain;
  let chain = plainChains.get(session);
  if (chain === undefined)
    plainChains.set(session, (chain = [{ principal: session.principal, rights: 'own' }]));
  return chain;
}
