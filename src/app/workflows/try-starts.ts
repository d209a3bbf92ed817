import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { mergedEnvironment, removeFolder, startTrouble } from '../../agents/index.js';
import { homeOf } from '../../config/state-path.js';
import type { Processes } from '../../kernel/index.js';
import { openLateProcesses } from '../late-processes.js';
import { type AgentReport, type AgentsPlace, reportAgents } from './agent-reports.js';
import { bareEnvironment } from './bare-environment.js';
import { openTrialFolder, sweepTrials } from './trial-ground.js';
import { createProjectSense } from './project-sense.js';

export interface StartsPlace extends AgentsPlace {
  readonly signal: AbortSignal;
  /** Those that have not answered by then are only slow. */
  readonly limitMs: number;
}

/**
 * The agents, and which of them cannot start. All are asked for their version side by side, in an empty home: a broken
 * one fails at once, while some that work take seconds and write to the home of whoever asks.
 */
export async function reportStarts(place: StartsPlace): Promise<readonly AgentReport[]> {
  const reports = reportAgents(place);
  const sense = createProjectSense(place);
  const programs = reports.flatMap(({ program }) => program ?? []).filter((one) => !sense.isOfProject(one));
  if (programs.length === 0) return reports;
  sweepTrials();
  const root = openTrialFolder();
  const processes = openLateProcesses({ stateDir: root, log: () => undefined });
  const signal = AbortSignal.any([place.signal, AbortSignal.timeout(place.limitMs)]);
  const trial = { processes, signal, env: sense.environment(), home: join(root, 'home') };
  mkdirSync(trial.home, { mode: 0o700 });
  const tried = async (report: AgentReport): Promise<AgentReport> => {
    const { program, install } = report;
    if (program === undefined || !programs.includes(program)) return report;
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
  /** An empty one. */
  readonly home: string;
}

async function troubleOf(
  program: string,
  { processes, signal, env, home }: Trial,
): Promise<string | undefined> {
  const bare = { processes, signal, cwd: home, env: bareEnvironment(env, home) };
  if ((await startTrouble(program, bare)) === undefined) return undefined;
  // Shims of version managers need the home of the user to find what they stand for.
  const own = { ...bare, cwd: homeOf(env, process.platform), env: mergedEnvironment(env, {}) };
  return startTrouble(program, own);
}
