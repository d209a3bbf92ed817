import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import {
  type Catalog,
  type PortService,
  type PortServices,
  type Processes,
  type Readiness,
  type Runner,
  type Session,
  ToolFailure,
} from '../kernel/index.js';
import { hasEntries } from './has-entries.js';

export interface PortParts {
  readonly roots: readonly string[];
  readonly stateDir: string;
  readonly processes: Processes;
  /** What a command may know of the operator's environment, and nothing else. */
  readonly env: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
  readonly catalog: PortService<Catalog>;
  /** Runs workflows; absent where that is switched off. */
  readonly runner?: PortService<Runner>;
}

export interface OwnedServices {
  readonly services: PortServices;
  /** The session is over. */
  forget(session: Session): Promise<void>;
  close(): Promise<void>;
}

/** What stands behind the ports of our own tools. The code of each is loaded when a tool first needs it. */
export function openPortServices(parts: PortParts): OwnedServices {
  const roots = parts.roots.map(realRoot);
  const openLate = <Port extends { readonly roots: readonly string[] }>(
    open: () => Promise<PortService<Port>>,
  ) => openOn(roots, open);
  const files = openLate(async () => {
    const { openFiles } = await import('../services/files/index.js');
    return openFiles(parts);
  });
  const search = openLate(async () => {
    const { openSearch } = await import('../services/search/index.js');
    return openSearch(parts);
  });
  const shell = openLate(async () => {
    const [{ openShell }, { protectedPlaces }] = await Promise.all([
      import('../services/shell/index.js'),
      import('../services/files/index.js'),
    ]);
    return openShell({ ...parts, protectedPaths: () => protectedPlaces });
  });
  return {
    services: { catalog: parts.catalog, files, search, shell, ...(parts.runner && { runner: parts.runner }) },
    async forget(session) {
      await Promise.all([files, search, shell].map((service) => service.forget(session)));
    },
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

/** Where a root is now: whoever puts a link in its place later leads nobody there. */
function realRoot(root: string): string {
  try {
    return realpathSync(root);
  } catch {
    // It does not exist yet. Then it must come to be at this very place.
    return resolve(root);
  }
}

/**
 * A service that is opened at its first use, on the folders that the gate was started with. A failure to open is told and
 * forgotten: the next use tries again.
 */
function openOn<Port extends { readonly roots: readonly string[] }>(
  roots: readonly string[],
  open: () => Promise<PortService<Port>>,
): Required<PortService<Port>> {
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
    async serve(session: Session) {
      const service = await opened();
      const port = await service.serve(session);
      if (port.roots.join('\0') === roots.join('\0')) return port;
      opening = undefined;
      await service.close();
      throw new ToolFailure(
        'refused',
        'A workspace root is not the folder that it was when the gate started.',
        {
          reason: 'root_gone',
          suggestion: 'Ask the operator to look at the workspace and to start the gate again.',
        },
      );
    },
    async forget(session: Session) {
      await (await opening)?.forget?.(session);
    },
    async close() {
      await (await opening)?.close();
    },
  };
}
