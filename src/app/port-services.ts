import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { PortService, PortServices, Processes, Readiness, Session } from '../kernel/index.js';

export interface PortParts {
  readonly roots: readonly string[];
  readonly stateDir: string;
  readonly processes: Processes;
  /** What a command may know of the operator's environment, and nothing else. */
  readonly env: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
}

export interface OwnedServices {
  readonly services: PortServices;
  close(): Promise<void>;
}

/** What stands behind the ports of our own tools. The code of each is loaded when a tool first needs it. */
export function openPortServices(parts: PortParts): OwnedServices {
  const files = openLate(async () => {
    const { openFiles } = await import('../services/files/index.js');
    return openFiles(parts);
  });
  const search = openLate(async () => {
    const { openSearch } = await import('../services/search/index.js');
    return openSearch(parts);
  });
  const shell = openLate(async () => {
    const [{ openShell }, { protectedPaths }] = await Promise.all([
      import('../services/shell/index.js'),
      import('../services/files/index.js'),
    ]);
    return openShell({ ...parts, protectedPaths: () => protectedPaths });
  });
  return {
    services: { files, search, shell },
    async close() {
      await Promise.all([files, search, shell].map((service) => service.close()));
    },
  };
}

/** Removes what a killed gate left beside the files of a workspace. Loads nothing where there is nothing. */
export async function sweepFiles(stateDir: string, log: (line: string) => void): Promise<void> {
  if (!hasEntries(join(stateDir, 'drafts'))) return;
  const { sweepDrafts } = await import('../services/files/index.js');
  await sweepDrafts(stateDir, log);
}

function hasEntries(folder: string): boolean {
  try {
    return readdirSync(folder).length > 0;
  } catch {
    // No such folder: no gate has written a file yet.
    return false;
  }
}

/** A service that is opened at its first use. A failure to open is told and forgotten: the next use tries again. */
function openLate<Port>(open: () => Promise<PortService<Port>>): PortService<Port> {
  let opening: Promise<PortService<Port>> | undefined;
  const opened = (): Promise<PortService<Port>> => {
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };
  return {
    async readiness(): Promise<Readiness> {
      try {
        return await (await opened()).readiness();
      } catch (error) {
        const reason = error instanceof Error ? error.message : String(error);
        return { state: 'unavailable', reason, suggestion: 'Ask the operator to look into the log.' };
      }
    },
    serve: async (session: Session) => (await opened()).serve(session),
    async close() {
      await (await opening)?.close();
    },
  };
}
