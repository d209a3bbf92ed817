import { join } from 'node:path';
import { type Environment, stateDirectory } from '../../config/index.js';
import { readJournal } from '../../workflow/index.js';
import { openTidegate, type Tidegate } from '../open-tidegate.js';
import { openRunFolders } from './run-folders.js';
import { prepareRun } from './prepare-run.js';
import type { RunAnswer, RunPlace, RunWish } from './run-wish.js';

/** Validates a workflow and runs it, or goes on with a run. What it started is gone when this resolves. */
export async function runFlow(wish: RunWish): Promise<RunAnswer> {
  const folders = openRunFolders(stateDirectory(wish.env));
  folders.sweep();
  const place = placeOf(wish, folders);
  if ('kind' in place) return place;
  let isKept = wish.resume !== undefined;
  try {
    const { within } = wish;
    const tidegate = within?.tidegate ?? (await openGate(wish, place.folder));
    try {
      const session = within?.session ?? tidegate.localSession('connection');
      const answer = await prepareRun(wish, place, { tidegate, session });
      isKept ||= answer.kind === 'ran';
      return answer;
    } finally {
      if (within === undefined) await tidegate.close();
    }
  } finally {
    folders.leave(place.folder, !isKept);
  }
}

function placeOf({ resume }: RunWish, folders: ReturnType<typeof openRunFolders>): RunPlace | RunAnswer {
  if (resume === undefined) {
    const { id, folder } = folders.create(new Date());
    return { runId: id, folder };
  }
  const taken = folders.take(resume);
  if (taken === 'unknown') return { kind: 'unknown', what: 'run', name: resume };
  if (taken === 'running') return { kind: 'busy', run: resume };
  const { head } = readJournal(join(taken.folder, 'journal.jsonl'));
  return { runId: resume, folder: taken.folder, ...(head && { head }) };
}

/** The log of the run stands beside its record, unless the configuration names a file. */
function openGate({ cwd, env, version, configFile }: RunWish, folder: string): Promise<Tidegate> {
  return openTidegate({
    cwd,
    env,
    version,
    mode: 'command',
    logFile: join(folder, 'log.jsonl'),
    ...(configFile !== undefined && { configFile }),
  });
}

export function listRuns(env: Environment): ReturnType<ReturnType<typeof openRunFolders>['list']> {
  return openRunFolders(stateDirectory(env)).list();
}

export function showRun(env: Environment, id: string): ReturnType<ReturnType<typeof openRunFolders>['show']> {
  return openRunFolders(stateDirectory(env)).show(id);
}
