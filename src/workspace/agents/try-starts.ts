import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { mergedEnvironment, removeFolder, startProblem } from '../../agents/index.js';
import { homeOf } from '../../config/index.js';
import type { Processes } from '../../ports/processes.js';
import { openLateProcesses } from '../late-processes.js';
import { type AgentReport, type AgentsPlace, reportAgents } from './agent-reports.js';
import { bareEnvironment } from './bare-environment.js';
import { openTrialFolder, sweepTrials } from './trial-ground.js';
import { createProjectSense } from '../project-sense.js';

export interface StartsPlace extends AgentsPlace {
  readonly signal: AbortSignal;
  /** Agents that take longer count as slow, not broken. */
  readonly limitMs: number;
}

/**
 * Reports agents that cannot start. All are asked for their version in parallel, in an empty home: a broken agent fails
 * at once, while working ones may take seconds and write to the home folder.
 */
export async function reportStarts(place: StartsPlace): Promise<readonly AgentReport[]> {
  const reports = reportAgents(place);
  if (reports.every(({ program }) => program === undefined)) return reports;
  sweepTrials();
  const root = openTrialFolder();
  const processes = openLateProcesses({ stateDir: root, log: () => undefined });
  const signal = AbortSignal.any([place.signal, AbortSignal.timeout(place.limitMs)]);
  const env = createProjectSense(place).environment();
  const trial = { processes, signal, env, home: join(root, 'home') };
  mkdirSync(trial.home, { mode: 0o700 });
  const tried = async (report: AgentReport): Promise<AgentReport> => {
    const { program, install } = report;
    if (program === undefined) return report;
    const why = await troubleOf(program, trial);
    return why === undefined ? report : { ...report, trouble: { why, next: install } };
  };
  try {
    return await Promise.all(reports.map(tried));
  } finally {
    await processes.close();
    removeFolder(root);
  }
}

interface Trial extends Pick<StartsPlace, 'env' | 'signal'> {
  readonly processes: Processes;
  /** An empty home folder. */
  readonly home: string;
}

async function troubleOf(
  program: string,
  { processes, signal, env, home }: Trial,
): Promise<string | undefined> {
  const bare = { processes, signal, cwd: home, env: bareEnvironment(env, home) };
  if ((await startProblem(program, bare)) === undefined) return undefined;
  // Version manager shims need the user's home to find the real program.
  const own = { ...bare, cwd: homeOf(env, process.platform), env: mergedEnvironment(env, {}) };
  return startProblem(program, own);
}
