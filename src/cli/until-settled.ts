import { printable } from '../config/index.js';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Tidegate } from '../app/index.js';
import type { Context } from './command.js';

const longestMs = 30_000;
const patienceMs = 1000;
const mostNamed = 5;

/** Waits until every server has listed its tools or failed. A command can wait longer than an agent. */
export async function untilSettled({ gateway }: Tidegate, { output, signal }: Context): Promise<void> {
  const over = new AbortController();
  const listed = gateway.registry.listed().finally(() => over.abort());
  const pause = async (ms: number): Promise<void> => {
    await sleep(ms, undefined, { signal: AbortSignal.any([signal, over.signal]) }).catch(() => undefined);
  };
  await Promise.race([listed, pause(patienceMs)]);
  if (over.signal.aborted || signal.aborted) return;
  const slow = gateway.registry.status().filter(({ state }) => state === 'pending');
  const named = slow.slice(0, mostNamed).map(({ id }) => printable(id));
  const others = slow.length > named.length ? ` and ${String(slow.length - named.length)} others` : '';
  const who = named.length > 0 ? `${named.join(', ')}${others}` : 'servers';
  output.note(`Waiting for ${who} (up to ${String(longestMs / 1000)} s)`);
  await Promise.race([listed, pause(longestMs)]);
}
