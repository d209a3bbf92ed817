import type { GrantsWritten } from '../ports/index.js';
import { type AdminParts, toolsOf } from './parts.js';
import { changeOf, type Reach, reachOf, type ReachChange } from './reach.js';
import type { Receiver } from './receiver.js';
import { said, type SaidTuple } from './sentences.js';
import { type Change, commit, fresh, type Recorded } from './write.js';

/** The effect of a change of rights. */
export interface Changed extends ReachChange {
  /** False: there was nothing to change. */
  readonly changed: boolean;
  readonly revision: number;
  readonly wrote: readonly SaidTuple[];
  readonly removed: readonly SaidTuple[];
  /** Hints for the caller. */
  readonly notes: readonly string[];
}

/** Applies a change and reports what its receiver gained and lost. */
export async function changed(
  parts: AdminParts,
  receiver: Receiver,
  plan: () => Change | Promise<Change>,
  recorded: Recorded,
): Promise<Changed> {
  const tools = toolsOf(await parts.catalogue());
  const reach = (): Reach => reachOf(parts.authorizer.predicates(), receiver, tools);
  let before: Reach | undefined;
  const written = await commit(
    parts,
    async () => {
      before = reach();
      return plan();
    },
    recorded,
  );
  const after = reach();
  return { ...summaryOf(written), ...changeOf(before ?? after, after), notes: [] };
}

export function summaryOf({
  revision,
  added,
  removed,
}: GrantsWritten): Omit<Changed, keyof ReachChange | 'notes'> {
  return {
    changed: added.length + removed.length > 0,
    revision,
    wrote: added.map(said),
    removed: removed.map(said),
  };
}

/** For read-only questions about rights. */
export async function reachNow(parts: AdminParts, receiver: Receiver): Promise<Reach> {
  await fresh(parts);
  const tools = toolsOf(await parts.catalogue());
  return reachOf(parts.authorizer.predicates(), receiver, tools);
}
