import type { Delegation } from '../../core/index.js';
import type { DelegationAnswer, Reason } from '../authorizer/index.js';
import type { Explanation, Place, Proof } from '../engine/index.js';
import { principalObject, profileObject, zoneObject } from '../object-ids.js';
import type { AdminParts } from './parts.js';
import { saysOf } from './sentences.js';
import { stepsOf, type StepView } from './steps.js';

/** The tuple that would have allowed it. */
export interface Missing {
  readonly says: string;
  readonly user: string;
  readonly relation: string;
  readonly object: string;
  /** What was found instead. */
  readonly found: Place['found'];
}

export interface DelegationView {
  readonly principal: string;
  readonly rights: Delegation['rights'];
  readonly token?: string;
  /** The limit of the credential. */
  readonly profile?: string;
  readonly tools?: readonly string[];
  readonly decision: 'allow' | 'deny';
  readonly reason: Reason;
  /** The profiles that apply, or the one that denied it. */
  readonly profiles: readonly string[];
  /** The tuples that allowed it, or the block. */
  readonly because: readonly StepView[];
  readonly missing?: Missing;
  /** False: blocked, and not granted either. */
  readonly isGiven?: false;
  /** The error of the engine, if it had no answer. */
  readonly error?: string;
}

export async function linkView(
  parts: AdminParts,
  delegation: Delegation | undefined,
  answer: DelegationAnswer,
): Promise<DelegationView> {
  const { principal, rights, isAllowed, reason, profiles, explanation } = answer;
  const proofs = delegation === undefined ? [] : proofsOf(parts, delegation, answer);
  const because = await Promise.all(proofs.map((proof) => stepsOf(parts, delegation ?? nobody, proof)));
  const missing = isAllowed || delegation === undefined ? undefined : missingOf(delegation, answer);
  const error = explanation?.error?.message;
  return {
    principal,
    rights,
    ...(delegation?.tokenId !== undefined && { token: delegation.tokenId }),
    ...(delegation?.profile !== undefined && { profile: delegation.profile }),
    ...(delegation?.tools !== undefined && { tools: delegation.tools }),
    decision: isAllowed ? 'allow' : 'deny',
    reason,
    profiles,
    because: because.flat(),
    ...(answer.isGiven === false && { isGiven: answer.isGiven }),
    ...(missing !== undefined && { missing }),
    ...(error !== undefined && { error }),
  };
}

const nobody: Delegation = { principal: { kind: 'service', id: 'nobody', zone: '' }, rights: 'own' };

function proofsOf(
  { authorizer, zone }: AdminParts,
  delegation: Delegation,
  answer: DelegationAnswer,
): readonly Proof[] {
  const { explanation, reason, isAllowed } = answer;
  if (reason === 'admin' && delegation.rights === 'own') {
    const predicates = authorizer.predicates();
    const asked = {
      user: principalObject(delegation.principal),
      relation: 'admin',
      object: zoneObject(zone),
    };
    const { proof } = predicates.engine.explain(asked, predicates.atNow({}));
    return proof === undefined ? [] : [proof];
  }
  if (explanation === undefined) return [];
  if (!isAllowed) return reason === 'blocked' ? blocksOf(explanation) : [];
  return explanation.proof === undefined ? [] : [explanation.proof];
}

/** For an inherited link the engine proves whether it is blocked, so a proof means a denial. */
function blocksOf({ proof, blockedBy }: Explanation): readonly Proof[] {
  return proof === undefined ? blockedBy : [proof];
}

/** The nearest missing tuple, unless a grant exists that does not apply now. */
function missingOf(delegation: Delegation, { explanation, reason }: DelegationAnswer): Missing | undefined {
  if (explanation === undefined || reason === 'blocked') return undefined;
  const places = explanation.missing;
  const place = places.find(({ found }) => found !== 'nothing') ?? places[0];
  if (place === undefined) return undefined;
  const isCeiling = reason === 'profile_ceiling' && delegation.profile !== undefined;
  const user = isCeiling
    ? `${profileObject(delegation.profile ?? '')}#assignee`
    : principalObject(delegation.principal);
  const { relation, object, found } = place;
  const says = saysOf({ user, relation, object });
  return {
    says: found === 'nothing' ? says : `${says} (${foundWords[found]})`,
    user,
    relation,
    object,
    found,
  };
}

const foundWords: Readonly<Record<Exclude<Place['found'], 'nothing'>, string>> = {
  condition_not_met: 'it has expired, or its condition is not met',
  condition_error: 'its condition cannot be evaluated',
  not_allowed_by_model: 'the model does not allow it',
};
