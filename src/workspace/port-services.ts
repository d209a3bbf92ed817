import { realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { messageOf } from '../lib/error-message.js';
import type { Catalog } from '../ports/catalog.js';
import type { Desktop } from '../ports/desktop.js';
import type { OwnPaths } from '../ports/own-paths.js';
import type { PortService, PortServices, Readiness } from '../ports/tool-ports.js';
import type { Processes } from '../ports/processes.js';
import type { Runner } from '../ports/runner.js';
import { type Session, ToolFailure } from '../core/index.js';
import type { Shell } from '../ports/shell.js';
import type { Web } from '../ports/web.js';
import type { Config } from '../config/index.js';
import { hasEntries } from '../lib/has-entries.js';

export interface PortParts {
  readonly roots: readonly string[];
  readonly stateDir: string;
  /** Tidegate's own files, which no port may show or change. */
  readonly own: OwnPaths;
  readonly processes: Processes;
  /** The environment of commands. */
  readonly env: Readonly<Record<string, string>>;
  /** The full environment, used to locate the operator's git configuration. Commands never get it. */
  readonly operatorEnv: Readonly<Record<string, string | undefined>>;
  readonly shell: Config['shell'];
  readonly whyNotWritable: (path: string) => string | undefined;
  readonly log: (line: string) => void;
  readonly catalog: PortService<Catalog>;
  /** Runs workflows; absent if disabled. */
  readonly runner?: PortService<Runner>;
}

export interface OwnedServices {
  readonly services: PortServices;
  readonly shell: PortService<Shell>;
  /** Called when the session ends. */
  forget(session: Session): Promise<void>;
  close(): Promise<void>;
}

/** The services behind the ports of built-in tools. Each is loaded when a tool first needs it. */
export function openPortServices(parts: PortParts): OwnedServices {
  const roots = parts.roots.map(realRoot);
  const openLate = <Port extends { readonly roots: readonly string[] }>(
    open: () => Promise<PortService<Port>>,
  ) => openOn(roots, open);
  const files = openLate(async () => {
    const [{ openFiles }, { createGitGuard, globalGitConfigs }] = await Promise.all([
      import('../services/files/index.js'),
      import('../services/shell/index.js'),
    ]);
    return openFiles({ ...parts, isRunByGit: createGitGuard(roots, globalGitConfigs(parts.operatorEnv)) });
  });
  const search = openLate(async () => {
    const { openSearch } = await import('../services/search/index.js');
    return openSearch(parts);
  });
  const shell = openLate(async () => {
    const [{ globalGitConfigs, openShell }, { protectedPlaces }] = await Promise.all([
      import('../services/shell/index.js'),
      import('../services/files/index.js'),
    ]);
    const globalConfigs = globalGitConfigs(parts.operatorEnv);
    return openShell({ ...parts, ...parts.shell, globalConfigs, protectedPaths: () => protectedPlaces });
  });
  return {
    services: {
      catalog: parts.catalog,
      files,
      search,
      shell,
      ...(parts.runner && { runner: parts.runner }),
      ...workflowServices(parts),
    },
    shell,
    async forget(session) {
      await Promise.all([files, search, shell].map((service) => service.forget(session)));
    },
    async close() {
      await Promise.all([files, search, shell].map((service) => service.close()));
    },
  };
}

/** Services for workflow operations. They keep nothing after a call. */
function workflowServices({ processes, env, operatorEnv, roots }: PortParts): {
  readonly web: PortService<Web>;
  readonly desktop: PortService<Desktop>;
} {
  const ready = { readiness: (): Readiness => ({ state: 'ready' }), close: () => Promise.resolve() };
  return {
    web: {
      ...ready,
      async serve() {
        const [{ createWeb }, { reachOf }] = await Promise.all([
          import('../services/web/index.js'),
          import('../providers/mcp/login/addresses.js'),
        ]);
        return createWeb({ reachOf });
      },
    },
    desktop: {
      ...ready,
      async serve() {
        const [{ createDesktop }, { desktopPlace }] = await Promise.all([
          import('../services/desktop/index.js'),
          import('./desktop-place.js'),
        ]);
        return createDesktop({
          processes,
          platform: process.platform,
          ...desktopPlace(env, operatorEnv, roots),
        });
      },
    },
  };
}

/** Removes drafts that a killed gateway left in workspaces. Loads no code if there are none. */
export async function sweepFiles(stateDir: string, log: (line: string) => void): Promise<void> {
  if (!hasEntries(join(stateDir, 'drafts'))) return;
  const { sweepDrafts } = await import('../services/files/index.js');
  await sweepDrafts(stateDir, log);
}

/** Checks what commands of a killed gateway left for git to run, and removes their empty folders and cgroups. */
export async function sweepCommands(stateDir: string, log: (line: string) => void): Promise<void> {
  if (!hasEntries(join(stateDir, 'shell')) && !hasEntries(join(stateDir, 'git-checks'))) return;
  const { finishChecks, sweepScratch, undoneLate } = await import('../services/shell/index.js');
  for (const path of await finishChecks(stateDir)) log(undoneLate(path));
  await sweepScratch(stateDir);
}

/** Resolves the root at startup, so that a link planted later is not followed. */
function realRoot(root: string): string {
  try {
    return realpathSync(root);
  } catch {
    // It does not exist yet; it must then be created at exactly this path.
    return resolve(root);
  }
}

/**
 * Opens a service on first use, on the roots known at startup. If opening fails, the next use tries again.
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
        const reason = messageOf(error);
        return { state: 'unavailable', reason, suggestion: 'Ask the operator to check the log.' };
      }
    },
    async serve(session: Session) {
      const service = await opened();
      const port = await service.serve(session);
      if (port.roots.join('\0') === roots.join('\0')) return port;
      opening = undefined;
      await service.close();
      throw new ToolFailure('refused', 'A workspace root was replaced or moved after Tidegate started.', {
        reason: 'root_gone',
        suggestion: 'Ask the operator to check the workspace and restart Tidegate.',
      });
    },
    async forget(session: Session) {
      await (await opening)?.forget?.(session);
    },
    async close() {
      await (await opening)?.close();
    },
  };
}
