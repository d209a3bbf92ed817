import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { AuditAction } from '../audit-actions.js';
import { AccessError, formatTuple, type Tuple } from '../engine/index.js';
import {
  type GrantFilter,
  type GrantKey,
  type GrantsWritten,
  type GrantTuple,
  StoreError,
  type ZoneHead,
} from '../ports/index.js';
import { AdminError } from './admin-error.js';
import type { AdminParts } from './parts.js';
import { loopWith } from './role-loops.js';

export interface Change {
  readonly removeMatching?: readonly GrantFilter[];
  readonly remove?: readonly GrantKey[];
  readonly add?: readonly GrantTuple[];
}

export interface Recorded {
  /** `grant.write`, `profile.assign`, … */
  readonly action: AuditAction;
  readonly target: string;
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** Retry limit for concurrent writes. */
const maxTries = 500;
const longestPauseMs = 20;
/** Audit records list at most this many tuples and then only a count. */
const maxShown = 50;

/** Refreshes from the store. Throws the error of the store if that fails. */
export async function fresh({ authorizer, store, zone }: AdminParts): Promise<ZoneHead> {
  await authorizer.refresh();
  const { head } = authorizer.replica;
  if (authorizer.revision !== undefined && head !== undefined) return head;
  await store.head(zone);
  throw new StoreError('store.unavailable', 'The access store does not respond.');
}

/**
 * Writes the change that `plan` computes. If another writer was faster, plans again, so that the checks always apply to
 * the state that is written.
 */
export async function commit(
  parts: AdminParts,
  plan: () => Change | Promise<Change>,
  recorded: Recorded,
): Promise<GrantsWritten> {
  for (let tries = 1; ; tries += 1) {
    const { history: expected } = await fresh(parts);
    const change = await plan();
    // Check after reading `expected`, so that any later change makes the write conflict.
    await requireAllowed(parts);
    refuseWrong(parts, change);
    try {
      const written = await parts.store.write({
        zone: parts.zone,
        ...change,
        expected,
        isUrgent: takesOnly(change),
        record: recordOf(parts, change, recorded),
      });
      await parts.authorizer.refresh();
      return written;
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'store.conflict') throw error;
      if (tries >= maxTries)
        throw new AdminError('access.conflict', 'Nothing was written because the zone kept changing.');
      // A revoke does not wait, so that it wins over concurrent grants.
      if (recorded.action !== 'grant.revoke') await delay(Math.random() * Math.min(tries, longestPauseMs));
    }
  }
}

/** A change that only removes rights may use the space that the store reserves for revokes. */
function takesOnly({ add = [] }: Change): boolean {
  return add.every(({ relation }) => relation === 'blocked');
}

/** The caller may have lost the right since the request began. */
export async function requireAllowed({ isStillAllowed }: AdminParts): Promise<void> {
  if (isStillAllowed !== undefined && !(await isStillAllowed()))
    throw new AdminError('access.admin_required', 'Only an admin can do this.');
}

/** Refuses tuples that the model does not allow, and role cycles. */
function refuseWrong({ authorizer }: Pick<AdminParts, 'authorizer'>, change: Change): void {
  const add = change.add ?? [];
  const { engine } = authorizer.predicates();
  for (const tuple of add) {
    try {
      engine.validate(tuple);
    } catch (error) {
      if (!(error instanceof AccessError)) throw error;
      throw new AdminError('access.not_in_model', `The model does not allow this: ${error.message}.`);
    }
  }
  const loop = loopWith(() => kept(authorizer.replica.tuples.all(), change), add);
  if (loop === undefined) return;
  throw new AdminError(
    'access.role_cycle',
    `The role would become a member of itself: ${loop.join(' in ')}.`,
  );
}

function kept(stored: readonly Tuple[], { remove = [], removeMatching = [] }: Change): readonly Tuple[] {
  return stored.filter((tuple) => ![...remove, ...removeMatching].some((filter) => isMatch(tuple, filter)));
}

function recordOf(
  { authorizer, by, zone, now, modelId }: AdminParts,
  { add = [], remove = [], removeMatching = [] }: Change,
  { action, target, detail }: Recorded,
): Parameters<AdminParts['store']['write']>[0]['record'] {
  const going = authorizer.replica.tuples
    .all()
    .filter((tuple) => removeMatching.some((filter) => isMatch(tuple, filter)));
  // Unchanged tuples were neither added nor removed.
  const isThere = ({ user, relation, object, condition }: GrantTuple): boolean => {
    const found = authorizer.replica.tuples.find(object, relation, user);
    return found !== undefined && isDeepStrictEqual(found.condition, condition);
  };
  const staying = new Set(add.filter(isThere).map(formatTuple));
  const added = add.filter((tuple) => !staying.has(formatTuple(tuple)));
  const removed = [...going, ...remove].filter((tuple) => !staying.has(formatTuple(tuple)));
  return {
    ...by,
    at: now(),
    zone,
    action,
    decision: 'allow',
    target,
    model: modelId,
    detail: {
      ...detail,
      ...(added.length > 0 && { add: shown(added) }),
      ...(removed.length > 0 && { remove: shown(removed) }),
    },
  };
}

function shown(tuples: readonly GrantKey[]): readonly string[] {
  const texts = tuples.slice(0, maxShown).map(formatTuple);
  return tuples.length > maxShown ? [...texts, `and ${String(tuples.length - maxShown)} more`] : texts;
}

function isMatch(tuple: GrantKey, filter: GrantFilter): boolean {
  return (
    (filter.user ?? tuple.user) === tuple.user &&
    (filter.relation ?? tuple.relation) === tuple.relation &&
    (filter.object ?? tuple.object) === tuple.object &&
    (filter.objectType === undefined || tuple.object.startsWith(`${filter.objectType}:`))
  );
}

/** A stored tuple without its history. */
export function onlyTuple({ user, relation, object, condition }: Tuple): GrantTuple {
  if (condition === undefined) return { user, relation, object };
  const { name, context } = condition;
  return { user, relation, object, condition: context === undefined ? { name } : { name, context } };
}
