import { join } from 'node:path';
import { stateDirectory } from '../../config/index.js';
import { readJournal } from '../../workflow/index.js';
import { prepareRun, type RunGateway } from './prepare-run.js';
import { openRunFolders, type RunFolders } from './run-folders.js';
import type { RunAnswer, RunPlace, RunOptions } from './run-options.js';

/** A gateway for a run, and how to release it. */
export interface LentGateway extends RunGateway {
  /** Why the run must not continue. */
  readonly refusal?: RunAnswer;
  close(): Promise<void>;
}

/** Runs a workflow in a new folder, or resumes in the folder of an earlier run. */
export async function runInFolder(
  options: RunOptions,
  openGate: (folder: string) => Promise<LentGateway>,
): Promise<RunAnswer> {
  const folders = openRunFolders(stateDirectory(options.env));
  folders.sweep();
  const place = placeOf(options, folders);
  if ('kind' in place) return place;
  let isKept = options.resume !== undefined;
  try {
    const gate = await openGate(place.folder);
    try {
      const answer = gate.refusal ?? (await prepareRun(options, place, gate));
      isKept ||= answer.kind === 'ran';
      return answer;
    } finally {
      await gate.close();
    }
  } finally {
    folders.leave(place.folder, !isKept);
  }
}

function placeOf({ resume }: RunOptions, folders: RunFolders): RunPlace | RunAnswer {
  if (resume === undefined) {
    const { id, folder } = folders.create(new Date());
    return { runId: id, folder };
  }
  const before = folders.show(resume);
  if (before?.status === 'completed') return { kind: 'finished', run: before };
  if (before?.status === 'broken') return { kind: 'broken', run: resume };
  const taken = folders.take(resume);
  if (taken === 'unknown') {
    return { kind: 'unknown', what: 'run', name: resume, known: folders.list().map(({ id }) => id) };
  }
  if (taken === 'running') return { kind: 'busy', run: resume };
  const { head, end } = readJournal(join(taken.folder, 'journal.jsonl'));
  if (end?.status === 'completed' && before !== undefined) {
    // Another process completed it before we got the lock.
    folders.leave(taken.folder, false);
    return { kind: 'finished', run: folders.show(resume) ?? before };
  }
  return { runId: resume, folder: taken.folder, ...(head && { head }) };
}
