import { printable } from '../config/index.js';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Tidegate } from '../app/index.js';
import type { Context } from './command.js';

const longestMs = 30_000;
const patienceMs = 1000;

/** Waits until every server has listed what it offers, or has failed to: a command has time where an agent has none. */
export async function untilSettled({ gateway }: Tidegate, { output, signal }: Context): Promise<void> {
  const over = new AbortController();
  const listed = gateway.listed().finally(() => over.abort());
  const pause = async (ms: number): Promise<void> => {
    await sleep(ms, undefined, { signal: AbortSignal.any([signal, over.signal]) }).catch(() => undefined);
  };
  await Promise.race([listed, pause(patienceMs)]);
  if (over.signal.aborted || signal.aborted) return;
  const slow = gateway
    .status()
    .filter(({ state, tools }) => state === 'pending' || (state === 'ready' && tools === 0));
  output.note(
    `waiting for ${slow.map(({ id }) => printable(id)).join(', ')} (up to ${String(longestMs / 1000)} s)`,
  );
  await Promise.race([listed, pause(longestMs)]);
}
