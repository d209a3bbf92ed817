import type { GrantsWritten } from '../ports.js';
import { type DeskParts, toolsOf } from './parts.js';
import { changeOf, type Reach, reachOf, type ReachChange } from './reach.js';
import type { Receiver } from './receiver.js';
import { said, type SaidTuple } from './sentences.js';
import { type Change, commit, fresh, type Recorded } from './write.js';

/** What a change of rights did. */
export interface Changed extends ReachChange {
  /** False: everything was so already. */
  readonly changed: boolean;
  readonly revision: number;
  readonly wrote: readonly SaidTuple[];
  readonly removed: readonly SaidTuple[];
  /** What whoever made the change should know. */
  readonly notes: readonly string[];
}

/** Makes a change, and says what it opened and closed for its receiver. */
export async function changed(
  parts: DeskParts,
  receiver: Receiver,
  plan: () => Change | Promise<Change>,
  recorded: Recorded,
): Promise<Changed> {
  const tools = toolsOf(await parts.catalogue());
  const reach = (): Reach => reachOf(parts.authority.judge(), receiver, tools);
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

/** For questions about rights that nothing is written for. */
export async function reachNow(parts: DeskParts, receiver: Receiver): Promise<Reach> {
  await fresh(parts);
  const tools = toolsOf(await parts.catalogue());
  return reachOf(parts.authority.judge(), receiver, tools);
}
