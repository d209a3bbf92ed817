import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Agent, clis, type CliParts, type KnownCli, runCli, runOpenai } from '../../agents/index.js';
import type { ProviderName } from '../../workflow/index.js';
import type { Tidegate } from '../../workspace/tidegate.js';
import { openAgentSockets } from '../../workspace/agents/agent-sockets.js';
import { knowCli } from '../../workspace/agents/know-cli.js';
import type { RunPlace, RunOptions } from './run-options.js';
import { serverNameOfRun } from '../../workspace/agents/server-name.js';
import { userFile } from '../../workspace/user-file.js';

export interface RunAgents {
  readonly byName: Readonly<Partial<Record<ProviderName, Agent>>>;
  close(): Promise<void>;
}

/** The agents available to a run. */
export function openAgents(
  tidegate: Tidegate,
  request: Pick<RunOptions, 'cwd' | 'version'>,
  { folder }: RunPlace,
): RunAgents {
  const sockets = openAgentSockets(tidegate, () => serverNameOfRun(folder));
  const known = new Map<string, Promise<KnownCli>>();
  const know: CliParts['know'] = (cli, order) =>
    knowCli(cli, order, {
      stateDirectory: tidegate.stateDirectory,
      cwd: request.cwd,
      roots: tidegate.config.workspace.roots,
      version: request.version,
      openGate: (options) => tidegate.openBeside(options),
    });
  const parts: CliParts = {
    processes: tidegate.processes,
    cwd: request.cwd,
    folder: join(folder, 'tmp'),
    keep: (name) => madeFolder(join(folder, 'agents', name)),
    userFile,
    openSocket: (order, verdict) => sockets.open(order, verdict),
    // Parallel steps share one isolation test.
    know(cli, order) {
      const key = JSON.stringify([cli.name, order.options, order.isIsolated]);
      const shared = known.get(key);
      // The step that started the test may have been cancelled.
      if (shared !== undefined) return shared.catch(() => know(cli, order));
      const knowing = know(cli, order).finally(() => known.delete(key));
      known.set(key, knowing);
      return knowing;
    },
  };
  const launched = clis.map(
    (cli) => [cli.name, (order) => runCli(cli, parts, order)] satisfies [string, Agent],
  );
  return {
    byName: { openai_compatible: runOpenai, ...Object.fromEntries(launched) },
    close: () => sockets.close(),
  };
}

function madeFolder(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return path;
}
