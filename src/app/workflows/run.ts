import { join } from 'node:path';
import { type Environment, stateDirectory } from '../../config/index.js';
import { openTidegate } from '../open-tidegate.js';
import { openRunFolders, type RunReport } from './run-folders.js';
import { runInFolder } from './run-in-folder.js';
import type { RunAnswer, RunWish } from './run-wish.js';

/** Validates a workflow and runs it at a gate of its own, or goes on with a run. What it started is gone at the end. */
export function runFlow(given: RunWish): Promise<RunAnswer> {
  // A run goes on where it began, wherever it is resumed from.
  const began = given.resume === undefined ? undefined : showRun(given.env, given.resume);
  const wish: RunWish = began === undefined ? given : { ...given, ...boundBy(began), cwd: began.cwd };
  const { cwd, env, version, configFile, profile } = wish;
  return runInFolder(wish, async (folder) => {
    const tidegate = await openTidegate({
      cwd,
      env,
      version,
      mode: 'command',
      // Beside the record of the run, unless the configuration names a file.
      logFile: join(folder, 'log.jsonl'),
      ...(configFile !== undefined && { configFile }),
      ...(profile !== undefined && { profile }),
    });
    return { tidegate, session: tidegate.localSession('connection'), close: () => tidegate.close() };
  });
}

function boundBy({ profile }: RunReport): Pick<RunWish, 'profile'> {
  return profile === undefined ? {} : { profile };
}

export function listRuns(env: Environment): readonly RunReport[] {
  return openRunFolders(stateDirectory(env)).list();
}

export function showRun(env: Environment, id: string): RunReport | undefined {
  return openRunFolders(stateDirectory(env)).show(id);
}
