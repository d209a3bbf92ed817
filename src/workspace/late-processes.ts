import { join } from 'node:path';
import type { Processes } from '../ports/processes.js';
import { hasEntries } from '../lib/has-entries.js';

export interface LateProcessesParts {
  readonly stateDir: string;
  readonly log: (line: string) => void;
}

/** Starts child processes. Its code is loaded on first use, because many gateways never need it. */
export function openLateProcesses(parts: LateProcessesParts): Processes {
  let opening: Promise<Processes> | undefined;
  let isClosed = false;
  async function open(): Promise<Processes> {
    const { openProcesses } = await import('../services/processes/index.js');
    return openProcesses(parts);
  }
  return {
    async start(order) {
      opening ??= open();
      const opened = await opening;
      // Closed while loading: the service itself reports the error.
      if (isClosed) await opened.close();
      return opened.start(order);
    },
    async close() {
      isClosed = true;
      await (await opening)?.close();
    },
  };
}

/** Ends processes that dead gateways left running. Loads no code if there are none. */
export async function sweepLeftovers(stateDir: string): Promise<void> {
  if (!hasEntries(join(stateDir, 'leases'))) return;
  const { sweepLeases } = await import('../services/processes/index.js');
  await sweepLeases(stateDir);
}
