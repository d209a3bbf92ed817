import { join } from 'node:path';
import type { Processes } from '../kernel/index.js';
import { hasEntries } from './has-entries.js';

export interface LateProcessesParts {
  readonly stateDir: string;
  readonly log: (line: string) => void;
}

/** The service that starts children. Its code is loaded with the first of them: many a gate never starts one. */
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
      // Closed while it was loaded: the service itself knows how to say so.
      if (isClosed) await opened.close();
      return opened.start(order);
    },
    async close() {
      isClosed = true;
      await (await opening)?.close();
    },
  };
}

/** Ends what dead gates left running. Loads nothing where there is nothing. */
export async function sweepLeftovers(stateDir: string): Promise<void> {
  if (!hasEntries(join(stateDir, 'leases'))) return;
  const { sweepLeases } = await import('../services/processes/index.js');
  await sweepLeases(stateDir);
}
