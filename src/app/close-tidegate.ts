import { atMost } from '../lib/at-most.js';
import type { Gateway } from '../gateway/index.js';
import type { Log } from '../ports/log.js';
import { sweepLeftovers } from '../workspace/late-processes.js';
import { sweepSockets } from '../workspace/plugins/late-plugins.js';
import { sweepCommands, sweepFiles } from '../workspace/port-services.js';
import { sweepPythonCache } from '../workspace/python-cache.js';
import type { Providers } from './open-providers.js';

export interface CloseParts {
  /** Undefined for a command, which watches nothing. */
  readonly following: { close(): void } | undefined;
  readonly telling: { close(): Promise<void> };
  readonly gateway: Gateway;
  readonly providers: Providers;
  readonly sweeping: Promise<void>;
  readonly claims: { close(): void };
  readonly access: { close(): Promise<void> };
  readonly observers: { close(): Promise<void> };
}

/** How long closing waits for servers before the reaper takes over. */
const closeMs = 60;
/** Limit for ending leftover processes. */
const sweepMs = 3000;

/** Removes what a killed gateway left in the state folder. Resolves when its processes have ended. */
export async function sweepState(directory: string, log: Log): Promise<void> {
  const warn = (line: string): void => log('warn', line);
  void sweepPythonCache(directory).catch(() => undefined);
  void sweepFiles(directory, warn).catch(() => undefined);
  await Promise.allSettled([sweepLeftovers(directory), sweepSockets(directory)]);
  // Only after the processes in these folders have ended.
  void sweepCommands(directory, warn).catch(() => undefined);
}

/** Closes everything once, in an order in which each part can still use those it needs. */
export function createClose(parts: CloseParts): () => Promise<void> {
  let closing: Promise<void> | undefined;
  return () => (closing ??= closeAll(parts));
}

async function closeAll(parts: CloseParts): Promise<void> {
  const { gateway, providers } = parts;
  parts.following?.close();
  await parts.telling.close();
  await providers.plugins.settle();
  await atMost(
    closeMs,
    Promise.all([gateway.close(), providers.local.close()]).then(() => undefined),
  );
  // Give plugins time to end: they may hold unsaved data.
  await providers.plugins.close();
  // A short command would otherwise exit before the sweep is done.
  await atMost(sweepMs, parts.sweeping);
  parts.claims.close();
  await parts.access.close();
  await providers.processes.close();
  await parts.observers.close();
}
