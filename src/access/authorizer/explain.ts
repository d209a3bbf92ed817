import { createToolFilter, type Delegation, type Reach, type Spec } from '../../core/index.js';
import type { AccessError, Explanation, RequestOptions, Tuple } from '../engine/index.js';
import { formatPrincipal, principalObject, profileObject } from '../object-ids.js';
import type { Action } from './link-predicate.js';
import { denies, type Predicates } from './predicates.js';

/** The reason for a decision. For operators and records; agents only ever get "not found". */
export type Reason =
  | 'granted'
  | 'admin'
  | 'inherited'
  | 'open'
  | 'unknown_tool'
  | 'no_grant'
  | 'no_call_grant'
  | 'blocked'
  | 'grant_expired'
  | 'condition_failed'
  | 'condition_input_missing'
  | 'profile_ceiling'
  | 'profile_unknown'
  | 'tools_ceiling'
  | 'parent_lacks'
  | 'credential_void'
  | 'wrong_zone'
  | 'cycle'
  | 'too_deep'
  | 'engine_error'
  | 'store_unavailable';

/** The decision of one link of a delegation chain about a definition. */
export interface DelegationAnswer {
  readonly principal: string;
  readonly rights: Delegation['rights'];
  readonly isAllowed: boolean;
  readonly reason: Reason;
  /** The profiles that apply, assigned or by default. */
  readonly profiles: readonly string[];
  /** False: blocked, and not granted either. */
  readonly isGiven?: false;
  /** The tuples that led to the decision, or the nearest missing one. */
  readonly explanation?: Explanation;
}

/** Explains the decision of one link. */
export function explainDelegation(
  predicates: Predicates,
  delegation: Delegation,
  spec: Spec,
  action: Action,
): DelegationAnswer {
  const told = { principal: formatPrincipal(delegation.principal), rights: delegation.rights, profiles: [] };
  const denied = (reason: Reason): DelegationAnswer => ({ ...told, isAllowed: false, reason });
  if (delegation.tools && spec.kind === 'tool' && !createToolFilter(delegation.tools)(spec.name))
    return denied('tools_ceiling');
  try {
    const reach = spec.kind === 'tool' ? spec.reach : undefined;
    if (reach !== undefined) return { ...told, ...reachAnswer(predicates, delegation, spec, action, reach) };
    const ceiling =
      delegation.profile === undefined
        ? undefined
        : ceilingAnswer(predicates, delegation.profile, spec, action);
    if (ceiling !== undefined && !ceiling.isAllowed) return { ...told, ...ceiling };
    return { ...told, ...ownAnswer(predicates, delegation, spec, action) };
  } catch (error) {
    if (denies(error)) return denied(reasonOfError(error));
    throw error;
  }
}

/** The reach `open` or `named` is checked before anything else. */
function reachAnswer(
  predicates: Predicates,
  delegation: Delegation,
  spec: Spec,
  action: Action,
  reach: Reach,
): Answer {
  const isAllowed = predicates.predicateFor(delegation)(spec, action);
  if (reach === 'open') return { isAllowed, reason: isAllowed ? 'open' : 'blocked' };
  return { isAllowed, reason: isAllowed ? 'granted' : 'no_grant' };
}

type Answer = Pick<DelegationAnswer, 'isAllowed' | 'reason'> & Partial<DelegationAnswer>;

function ceilingAnswer(predicates: Predicates, profile: string, spec: Spec, action: Action): Answer {
  if (!predicates.hasProfile(profile))
    return { isAllowed: false, reason: 'profile_unknown', profiles: [profile] };
  const user = `${profileObject(profile)}#assignee`;
  const explanation = predicates.engine.explain({
    user,
    relation: action,
    object: predicates.objectOf(spec),
  });
  const isAllowed = explanation.outcome === 'allow';
  return { isAllowed, reason: isAllowed ? 'granted' : 'profile_ceiling', profiles: [profile], explanation };
}

function ownAnswer(predicates: Predicates, delegation: Delegation, spec: Spec, action: Action): Answer {
  if (delegation.rights === 'all') return { isAllowed: true, reason: 'admin' };
  if (delegation.rights === 'inherited') return barredAnswer(predicates, delegation, spec);
  if (predicates.isAdmin(delegation.principal)) return { isAllowed: true, reason: 'admin' };
  const { assigned, byDefault } = predicates.profilesOf(delegation);
  const names = byDefault === undefined ? assigned : [byDefault];
  const options: RequestOptions =
    byDefault === undefined ? {} : { contextualTuples: [assignment(delegation, byDefault)] };
  const explain = (relation: Action): Explanation =>
    predicates.engine.explain(question(predicates, delegation, spec, relation), predicates.atNow(options));
  const explanation = explain(action);
  const isAllowed = explanation.outcome === 'allow';
  const reason = isAllowed ? 'granted' : reasonOf(explanation);
  if (reason !== 'no_grant') return { isAllowed, reason, profiles: names, explanation };
  const isSeen = action === 'call' && explain('see').outcome === 'allow';
  if (isSeen) return { isAllowed, reason: 'no_call_grant', profiles: names, explanation };
  // Not granted, and blocked as well: the operator must know both, or a grant alone would not help.
  const barred = predicates.engine.explain(
    question(predicates, delegation, spec, 'barred'),
    predicates.atNow(options),
  );
  if (barred.outcome !== 'allow') return { isAllowed, reason, profiles: names, explanation };
  return { isAllowed, reason: 'blocked', isGiven: false, profiles: names, explanation: barred };
}

/** Evaluates as if the profile were assigned. */
function assignment({ principal }: Delegation, profile: string): Tuple {
  return { user: principalObject(principal), relation: 'assignee', object: profileObject(profile) };
}

function barredAnswer(predicates: Predicates, delegation: Delegation, spec: Spec): Answer {
  const options: RequestOptions = predicates.atNow({});
  const explanation = predicates.engine.explain(question(predicates, delegation, spec, 'barred'), options);
  if (explanation.outcome === 'deny') return { isAllowed: true, reason: 'inherited' };
  return { isAllowed: false, reason: 'blocked', explanation };
}

function question(
  predicates: Predicates,
  delegation: Delegation,
  spec: Spec,
  relation: Action | 'barred',
): { readonly user: string; readonly relation: string; readonly object: string } {
  return { user: principalObject(delegation.principal), relation, object: predicates.objectOf(spec) };
}

function reasonOf({ outcome, blockedBy, missing, error }: Explanation): Reason {
  if (outcome === 'error') return error === undefined ? 'engine_error' : reasonOfError(error);
  if (outcome === 'cycle') return 'cycle';
  if (blockedBy.length > 0) return 'blocked';
  if (missing.some(({ found }) => found === 'condition_not_met')) return 'grant_expired';
  if (missing.some(({ found }) => found === 'condition_error')) return 'condition_failed';
  return 'no_grant';
}

function reasonOfError({ code }: AccessError): Reason {
  if (code === 'check.too_deep' || code === 'check.too_complex') return 'too_deep';
  if (code === 'condition.missing_parameter') return 'condition_input_missing';
  return code.startsWith('condition.') ? 'condition_failed' : 'engine_error';
}
