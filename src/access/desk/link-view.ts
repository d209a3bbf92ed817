import type { Link } from '../../kernel/index.js';
import type { LinkAnswer, Reason } from '../authority/index.js';
import type { Explanation, Place, Proof } from '../engine/index.js';
import { principalObject, profileObject, zoneObject } from '../object-ids.js';
import type { DeskParts } from './parts.js';
import { saysOf } from './sentences.js';
import { stepsOf, type StepView } from './steps.js';

/** The place where a tuple would have been found. */
export interface Missing {
  readonly says: string;
  readonly user: string;
  readonly relation: string;
  readonly object: string;
  /** What is there instead. */
  readonly found: Place['found'];
}

export interface LinkView {
  readonly principal: string;
  readonly rights: Link['rights'];
  readonly token?: string;
  /** What the credential cannot go beyond. */
  readonly profile?: string;
  readonly tools?: readonly string[];
  readonly decision: 'allow' | 'deny';
  readonly reason: Reason;
  /** The profiles that apply, or the one that did not let it through. */
  readonly profiles: readonly string[];
  /** The tuples that let it through, or the block that does not. */
  readonly because: readonly StepView[];
  readonly missing?: Missing;
  /** False: nothing gives it either, beside what blocks it. */
  readonly isGiven?: false;
  /** What the engine said where it had no answer. */
  readonly error?: string;
}

export async function linkView(
  parts: DeskParts,
  link: Link | undefined,
  answer: LinkAnswer,
): Promise<LinkView> {
  const { principal, rights, isAllowed, reason, profiles, explanation } = answer;
  const proofs = link === undefined ? [] : proofsOf(parts, link, answer);
  const because = await Promise.all(proofs.map((proof) => stepsOf(parts, link ?? nobody, proof)));
  const missing = isAllowed || link === undefined ? undefined : missingOf(link, answer);
  const error = explanation?.error?.message;
  return {
    principal,
    rights,
    ...(link?.tokenId !== undefined && { token: link.tokenId }),
    ...(link?.profile !== undefined && { profile: link.profile }),
    ...(link?.tools !== undefined && { tools: link.tools }),
    decision: isAllowed ? 'allow' : 'deny',
    reason,
    profiles,
    because: because.flat(),
    ...(answer.isGiven === false && { isGiven: answer.isGiven }),
    ...(missing !== undefined && { missing }),
    ...(error !== undefined && { error }),
  };
}

const nobody: Link = { principal: { kind: 'service', id: 'nobody', zone: '' }, rights: 'own' };

function proofsOf({ authority, zone }: DeskParts, link: Link, answer: LinkAnswer): readonly Proof[] {
  const { explanation, reason, isAllowed } = answer;
  if (reason === 'admin' && link.rights === 'own') {
    const judge = authority.judge();
    const asked = { user: principalObject(link.principal), relation: 'admin', object: zoneObject(zone) };
    const { proof } = judge.engine.explain(asked, judge.atNow({}));
    return proof === undefined ? [] : [proof];
  }
  if (explanation === undefined) return [];
  if (!isAllowed) return reason === 'blocked' ? blocksOf(explanation) : [];
  return explanation.proof === undefined ? [] : [explanation.proof];
}

/** A link without rights of its own is asked whether it is kept from something: then that is what was proven. */
function blocksOf({ proof, blockedBy }: Explanation): readonly Proof[] {
  return proof === undefined ? blockedBy : [proof];
}

/** The nearest place, unless a grant is there that only does not hold now. */
function missingOf(link: Link, { explanation, reason }: LinkAnswer): Missing | undefined {
  if (explanation === undefined || reason === 'blocked') return undefined;
  const places = explanation.missing;
  const place = places.find(({ found }) => found !== 'nothing') ?? places[0];
  if (place === undefined) return undefined;
  const isCeiling = reason === 'profile_ceiling' && link.profile !== undefined;
  const user = isCeiling ? `${profileObject(link.profile ?? '')}#assignee` : principalObject(link.principal);
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
  condition_not_met: 'its time is over, or its condition does not hold',
  condition_error: 'its condition cannot be judged',
  not_allowed_by_model: 'the model gives it no meaning',
};
