import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Agent, clis, type CliParts, runCli, runOpenai } from '../../agents/index.js';
import type { ProviderName } from '../../workflow/index.js';
import type { Tidegate } from '../tidegate.js';
import { openAgentDoors } from './agent-doors.js';
import { knowCli } from './know-cli.js';
import type { RunPlace, RunWish } from './run-wish.js';

export interface RunAgents {
  readonly byName: Readonly<Partial<Record<ProviderName, Agent>>>;
  close(): Promise<void>;
}

/** The agents that a run can have. */
export function openAgents(
  tidegate: Tidegate,
  wish: Pick<RunWish, 'cwd' | 'version'>,
  { folder }: RunPlace,
): RunAgents {
  const doors = openAgentDoors(tidegate);
  const parts: CliParts = {
    processes: tidegate.processes,
    cwd: wish.cwd,
    folder: join(folder, 'tmp'),
    keep: (name) => madeFolder(join(folder, 'agents', name)),
    userFile,
    openDoor: (order, verdict) => doors.open(order, verdict),
    know: (cli, order) =>
      knowCli(cli, order, {
        stateDirectory: tidegate.stateDirectory,
        cwd: wish.cwd,
        version: wish.version,
        openGate: (options) => tidegate.openBeside(options),
      }),
  };
  const launched = clis.map(
    (cli) => [cli.name, (order) => runCli(cli, parts, order)] satisfies [string, Agent],
  );
  return {
    byName: { openai_compatible: runOpenai, ...Object.fromEntries(launched) },
    close: () => doors.close(),
  };
}

function madeFolder(path: string): string {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  return path;
}

function userFile(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // Not there, or not ours to read: then it has no say.
    return undefined;
  }
}
