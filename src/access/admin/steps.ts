import type { Delegation } from '../../core/index.js';
import type { Proof, Tuple } from '../engine/index.js';
import { formatPrincipal } from '../object-ids.js';
import type { GrantTuple } from '../ports/index.js';
import { type Profiles, principalTuples, profileTuples } from '../profiles/index.js';
import type { AdminParts } from './parts.js';
import { saysOf } from './sentences.js';
import { onlyTuple } from './write.js';

/** Where a tuple comes from. */
export type TupleOrigin =
  | { readonly kind: 'stored'; readonly by: string; readonly at: string; readonly revision: number }
  | {
      readonly kind: 'profile';
      readonly profile: string;
      /** As written in the file. */
      readonly entry: string;
      /** The profile that contains it: this one, or one that it extends. */
      readonly from: string;
      readonly isShipped: boolean;
      /** Line of the entry. */
      readonly line?: number;
    }
  | {
      readonly kind: 'file';
      readonly principal: string;
      readonly entry: string;
      readonly line?: number;
    }
  | { readonly kind: 'default_profile' | 'credential'; readonly profile: string }
  | { readonly kind: 'catalogue' };

/** One step of a proof: a tuple and the steps below it. */
export interface StepView {
  readonly says: string;
  readonly tuple: GrantTuple;
  readonly from: TupleOrigin;
  readonly steps: readonly StepView[];
}

/** A proof with the origin of each tuple. Steps without a tuple are skipped. */
export async function stepsOf(
  parts: AdminParts,
  delegation: Delegation,
  proof: Proof,
): Promise<readonly StepView[]> {
  const below = (await Promise.all(proof.steps.map((step) => stepsOf(parts, delegation, step)))).flat();
  if (proof.tuple === undefined) return below;
  const tuple = onlyTuple(proof.tuple);
  return [{ says: saysOf(tuple), tuple, from: await originOf(parts, delegation, tuple), steps: below }];
}

async function originOf(parts: AdminParts, delegation: Delegation, tuple: GrantTuple): Promise<TupleOrigin> {
  const { relation, object, user } = tuple;
  if (/^(group|provider)$/.test(relation) && /^(tool|provider):/.test(object)) return { kind: 'catalogue' };
  const policy = policyOrigin(parts.profiles(), tuple);
  if (policy !== undefined) return policy;
  const [stored] = await parts.store.grants(parts.zone, { user, relation, object });
  if (stored !== undefined) {
    const { createdBy: by, createdAt, revision } = stored;
    return { kind: 'stored', by, at: new Date(createdAt).toISOString(), revision };
  }
  const profile = object.slice(object.indexOf(':') + 1);
  return { kind: delegation.profile === profile ? 'credential' : 'default_profile', profile };
}

function policyOrigin(
  { profiles, principals, lineAt }: Profiles,
  tuple: GrantTuple,
): TupleOrigin | undefined {
  for (const profile of profiles.values()) {
    const at = profileTuples(profile).findIndex((one) => isSame(one, tuple));
    const entry = profile.entries[at];
    if (entry === undefined) continue;
    const said = profiles.get(entry.from) ?? profile;
    return {
      kind: 'profile',
      profile: profile.name,
      entry: entry.text,
      from: entry.from,
      isShipped: said.isShipped,
      ...lineOf(said.isShipped ? undefined : (lineAt(entry.path) ?? said.line)),
    };
  }
  for (const rule of principals) {
    const at = principalTuples(rule).findIndex((given) => isSame(given, tuple));
    const entry = [...rule.add, ...rule.remove][at];
    if (entry === undefined) continue;
    const principal = formatPrincipal(rule.principal);
    return { kind: 'file', principal, entry: entry.text, ...lineOf(lineAt(entry.path)) };
  }
  return undefined;
}

function lineOf(line: number | undefined): { readonly line?: number } {
  return line === undefined ? {} : { line };
}

function isSame(one: Tuple, other: Tuple): boolean {
  return one.user === other.user && one.relation === other.relation && one.object === other.object;
}
