import { isDeepStrictEqual } from 'node:util';
import type { AuditAction } from '../audit-actions.js';
import { AccessError, formatTuple, type Tuple } from '../engine/index.js';
import {
  type GrantFilter,
  type GrantKey,
  type GrantsWritten,
  type GrantTuple,
  StoreError,
} from '../ports.js';
import { DeskError } from './desk-error.js';
import type { DeskParts } from './parts.js';
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

/** Others may write at the same time; past this many of them somebody writes without end. */
const maxTries = 20;
/** A record is for people: past this many tuples it says how many more there are. */
const maxShown = 50;

/** Brings what is known to what is stored. Throws what the store says when it cannot be known. */
export async function fresh({ authority, store, zone }: DeskParts): Promise<number> {
  await authority.refresh();
  const { revision } = authority;
  if (revision !== undefined) return revision;
  await store.revision(zone);
  throw new StoreError('store.unavailable', 'The access store does not answer.');
}

/**
 * Writes what `plan` wants of the state that it was shown: it is planned anew when somebody else was quicker, so that what
 * was judged is what is written.
 */
export async function commit(
  parts: DeskParts,
  plan: () => Change | Promise<Change>,
  recorded: Recorded,
): Promise<GrantsWritten> {
  for (let tries = 1; ; tries += 1) {
    const expected = await fresh(parts);
    const change = await plan();
    refuseWrong(parts, change);
    try {
      const written = await parts.store.write({
        zone: parts.zone,
        ...change,
        expected,
        record: recordOf(parts, change, recorded),
      });
      await parts.authority.refresh();
      return written;
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'store.conflict') throw error;
      if (tries >= maxTries)
        throw new DeskError('access.conflict', 'Nothing was written: others keep changing this zone.');
    }
  }
}

/** What the model gives no meaning, and what would make a role a member of itself. */
function refuseWrong({ authority }: Pick<DeskParts, 'authority'>, change: Change): void {
  const add = change.add ?? [];
  const { engine } = authority.judge();
  for (const tuple of add) {
    try {
      engine.validate(tuple);
    } catch (error) {
      if (!(error instanceof AccessError)) throw error;
      throw new DeskError('access.not_in_model', `The model does not take this: ${error.message}.`);
    }
  }
  const loop = loopWith(() => kept(authority.replica.tuples.all(), change), add);
  if (loop === undefined) return;
  throw new DeskError('access.role_cycle', `The role would be a member of itself: ${loop.join(' in ')}.`);
}

function kept(stored: readonly Tuple[], { remove = [], removeMatching = [] }: Change): readonly Tuple[] {
  return stored.filter((tuple) => ![...remove, ...removeMatching].some((filter) => isMatch(tuple, filter)));
}

function recordOf(
  { authority, by, zone, now, modelId }: DeskParts,
  { add = [], remove = [], removeMatching = [] }: Change,
  { action, target, detail }: Recorded,
): Parameters<DeskParts['store']['write']>[0]['record'] {
  const going = authority.replica.tuples
    .all()
    .filter((tuple) => removeMatching.some((filter) => isMatch(tuple, filter)));
  // What stays as it is was neither added nor removed.
  const isThere = ({ user, relation, object, condition }: GrantTuple): boolean => {
    const found = authority.replica.tuples.find(object, relation, user);
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

/** Without the history that a stored tuple has. */
export function onlyTuple({ user, relation, object, condition }: Tuple): GrantTuple {
  if (condition === undefined) return { user, relation, object };
  const { name, context } = condition;
  return { user, relation, object, condition: context === undefined ? { name } : { name, context } };
}
