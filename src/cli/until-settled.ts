import { setTimeout as sleep } from 'node:timers/promises';
import type { Tidegate } from '../app/index.js';
import type { Context } from './command.js';

const longestMs = 30_000;
const lookMs = 50;

/** Waits until every server has either started or failed: a command has time where an agent has none. */
export async function untilSettled({ gateway }: Tidegate, { output, signal }: Context): Promise<void> {
  await gateway.settle();
  const until = performance.now() + longestMs;
  let isTold = false;
  while (performance.now() < until && !signal.aborted) {
    const pending = gateway.status().filter(({ state }) => state === 'pending');
    if (pending.length === 0) return;
    if (!isTold) output.note(`waiting for ${pending.map(({ id }) => id).join(', ')}`);
    isTold = true;
    await sleep(lookMs);
  }
}
