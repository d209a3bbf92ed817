import { messageOf } from '../../lib/error-message.js';
import type { Delegation, Session, Spec } from '../../core/index.js';
import type { CompiledModel, Conditions } from '../engine/index.js';
import { type GrantStore, type Soon, StoreError, type ZoneHead } from '../ports/index.js';
import type { Access, Visibility } from '../visible.js';
import { explainDelegation, type DelegationAnswer, type Reason } from './explain.js';
import {
  type Action,
  type Ask,
  createPredicates,
  denies,
  type Predicates,
  tuplesetsOf,
} from './predicates.js';
import type { Policy } from './policy.js';
import { createReplica, isLater, type Replica } from './replica.js';
import { createShownLists } from './visible-list-cache.js';

export interface AuthorizerParts {
  readonly store: GrantStore;
  readonly zone: string;
  readonly model: CompiledModel;
  readonly conditions: Conditions;
  readonly policy: Policy;
  /** Whether a credential is still valid. A link with an invalid credential allows nothing. */
  readonly isAlive: (tokenId: string) => boolean;
  /** Refreshes that answer to this revision of the store. */
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
/** The longest possible timer. A later expiry sets it again. */
const longestTimer = 2 ** 31 - 1;

/** The authorizer: decides from a store, a policy and the clock. Denies whenever it cannot know. */
export function openAuthorizer(parts: AuthorizerParts): Authorizer {
  const { store, zone, now, log } = parts;
  const replica = createReplica({
    store,
    zone,
    tuplesets: tuplesetsOf(parts.model),
    onApplied: () => predicates.renew(),
  });
  const listeners = new Set<() => void>();
  let { policy } = parts;
  let predicates = createPredicates({ ...parts, replica });
  const lists = createShownLists();
  let failure: unknown = new StoreError('store.unavailable', 'not read yet');
  let isFailureTold = false;
  let head: ZoneHead | undefined;
  /** Undefined: an unpredictable condition must be evaluated each time. */
  let turnsAt: number | undefined = Number.POSITIVE_INFINITY;
  let turning: NodeJS.Timeout | undefined;

  /** Invalidates all previous answers and notifies listeners. */
  function changed(): void {
    predicates.renew();
    lists.clear();
    head = replica.head;
    awaitTurn();
    for (const listener of listeners) listener();
  }

  /** A time condition changes rights without a write, so a timer is needed. */
  function awaitTurn(): void {
    clearTimeout(turning);
    turnsAt = replica.nextTurn(now());
    if (turnsAt === undefined || turnsAt === Number.POSITIVE_INFINITY) return;
    turning = setTimeout(changed, Math.min(turnsAt - now() + 1, longestTimer));
    turning.unref();
  }

  function succeeded(): void {
    if (isFailureTold) log('info', 'the access store responds again');
    isFailureTold = false;
    const isNews = failure !== undefined || replica.head !== head;
    failure = undefined;
    if (isNews) changed();
  }

  function failed(error: unknown): void {
    failure = error;
    if (isFailureTold) return;
    isFailureTold = true;
    const code = error instanceof StoreError ? error.code : 'internal';
    const message = messageOf(error);
    log('warn', 'the access store does not respond: nothing is visible until it does', { code, message });
    for (const listener of listeners) listener();
  }

  function refresh(session?: Session): Promise<void> | undefined {
    try {
      const later = replica.refresh();
      if (later !== undefined) return later.then(() => arrived(session)).catch(failed);
      return arrived(session)?.catch(failed);
    } catch (error) {
      failed(error);
      return undefined;
    }
  }

  /** The tuples are fresh; now refresh the session's credentials. */
  function arrived(session: Session | undefined): Promise<void> | undefined {
    succeeded();
    const at = head;
    if (session?.chain === undefined || at === undefined) return undefined;
    const asked = session.chain.flatMap(({ tokenId }) =>
      tokenId === undefined ? [] : [parts.confirm(tokenId, at)],
    );
    const later = asked.filter(isLater);
    return later.length > 0 ? Promise.all(later).then(() => undefined) : undefined;
  }

  /** Undefined: a link could not be evaluated, so neither can the chain. */
  function askersOf(chain: readonly Delegation[]): readonly Ask[] | undefined {
    try {
      return chain.map((delegation) => predicates.predicateFor(delegation));
    } catch (error) {
      if (denies(error)) return undefined;
      throw error;
    }
  }

  function isAllowed(asks: readonly Ask[] | undefined, spec: Spec, action: Action): boolean {
    try {
      return asks?.every((ask) => ask(spec, action)) === true;
    } catch (error) {
      if (denies(error)) return false;
      throw error;
    }
  }

  /** Always evaluates both, so that timing does not reveal the first answer. */
  function evaluated(asks: readonly Ask[] | undefined, spec: Spec): Visibility {
    const isSeen = isAllowed(asks, spec, 'see');
    const isCallable = isAllowed(asks, spec, 'call');
    if (!isSeen) return nothing;
    return isCallable ? everything : seen;
  }

  function standing(session: Session): readonly Delegation[] | undefined {
    if (failure !== undefined || session.principal.zone !== zone) return undefined;
    // The timer may be late, but a grant must end on time.
    if (turnsAt !== undefined && now() >= turnsAt) changed();
    const chain = chainOf(session);
    const isWhole = chain.length > 0 && chain.every((delegation) => isStanding(delegation));
    return isWhole ? chain : undefined;
  }

  function isStanding({ principal, tokenId }: Delegation): boolean {
    return principal.zone === zone && (tokenId === undefined || parts.isAlive(tokenId));
  }

  function filtered<S extends Spec>(chain: readonly Delegation[], specs: readonly S[]): readonly S[] {
    const asks = askersOf(chain);
    const visible = specs.filter((spec) => isAllowed(asks, spec, 'see'));
    return visible.length === specs.length ? specs : visible;
  }

  const stopListening = store.onChange((at) => {
    if (at === zone) void refresh();
  });

  return {
    zone,
    replica,
    get revision() {
      return failure === undefined ? head?.revision : undefined;
    },
    get policy() {
      return policy;
    },
    predicates: () => predicates,
    refresh,
    visible(session, spec) {
      const chain = standing(session);
      if (chain === undefined) return nothing;
      return evaluated(askersOf(chain), spec);
    },
    list(session, specs) {
      const chain = standing(session);
      if (chain === undefined) return [];
      if (turnsAt === undefined) return filtered(chain, specs);
      return lists.of(chain, specs, () => filtered(chain, specs));
    },
    explain(session, spec, action) {
      const chain = chainOf(session);
      const answer = (
        reason: Reason,
        links: readonly DelegationAnswer[] = [],
        isAllowed = false,
      ): ChainAnswer => ({
        isAllowed,
        reason,
        revision: failure === undefined ? head?.revision : undefined,
        links,
      });
      if (failure !== undefined) return answer('store_unavailable');
      if (session.principal.zone !== zone || chain.some(({ principal }) => principal.zone !== zone))
        return answer('wrong_zone');
      if (!chain.every(isStanding)) return answer('credential_void');
      if (spec === undefined) return answer('unknown_tool');
      const links = chain.map((delegation) => explainDelegation(predicates, delegation, spec, action));
      const lacking = links.findIndex(({ isAllowed }) => !isAllowed);
      const last = links.length - 1;
      const reason =
        lacking !== -1 && lacking < last ? 'parent_lacks' : links[lacking === -1 ? last : lacking]?.reason;
      return answer(reason ?? 'no_grant', links, lacking === -1 && links.length > 0);
    },
    isAdmin(session) {
      const chain = standing(session);
      if (chain === undefined) return false;
      try {
        return chain.every(
          (delegation) =>
            delegation.profile === undefined &&
            delegation.tools === undefined &&
            (delegation.rights === 'all' ||
              (delegation.rights === 'own' && predicates.isAdmin(delegation.principal))),
        );
      } catch (error) {
        if (denies(error)) return false;
        throw error;
      }
    },
    setPolicy(next) {
      policy = next;
      predicates = createPredicates({ ...parts, policy: next, replica });
      changed();
    },
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close() {
      clearTimeout(turning);
      stopListening();
      listeners.clear();
    },
  };
}

const plainChains = new WeakMap<Session, readonly Delegation[]>();

export function chainOf(session: Session): readonly Delegation[] {
  if (session.chain !== undefined) return session.chain;
  let chain = plainChains.get(session);
  if (chain === undefined)
    plainChains.set(session, (chain = [{ principal: session.principal, rights: 'own' }]));
  return chain;
}
