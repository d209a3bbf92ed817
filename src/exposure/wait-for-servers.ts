import type { Cancellation } from '../lib/cancellation.js';
import type { ServerInSight, WaitAnswer } from '../ports/catalog.js';

export interface Waiting {
  readonly timeoutMs: number;
  readonly caller: Cancellation;
  readonly now: () => number;
}

const lookMs = 25;

/** Waits until none of the servers is pending. A timeout is not a failure: the result contains the status of each. */
export async function waitForServers(
  look: () => readonly ServerInSight[],
  names: readonly string[] | undefined,
  { timeoutMs, caller, now }: Waiting,
): Promise<WaitAnswer> {
  const started = now();
  const waited = new Map<string, number>();
  const isMeant = ({ name }: ServerInSight): boolean => names === undefined || names.includes(name);
  for (;;) {
    const servers = look().filter(isMeant);
    const ms = Math.round(now() - started);
    for (const { name, status } of servers)
      if (status !== 'pending' && !waited.has(name)) waited.set(name, ms);
    const isOver = servers.every(({ status }) => status !== 'pending');
    if (isOver || ms >= timeoutMs || caller.isCancelled) {
      return {
        servers: servers.map((server) => ({ ...server, waitedMs: waited.get(server.name) ?? ms })),
        notFound: (names ?? []).filter((name) => !servers.some((server) => server.name === name)),
        allReady: servers.every(({ status }) => status === 'connected'),
      };
    }
    await new Promise((resolve) => setTimeout(resolve, Math.min(lookMs, Math.max(1, timeoutMs - ms))));
  }
}
