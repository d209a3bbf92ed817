import { printable } from '../../config/index.js';
import type { Command } from '../command.js';
import { exitCodes } from '../exit-codes.js';
import { elapsed } from '../elapsed.js';

export const runsList: Command = {
  name: 'runs list',
  summary: 'List the runs of workflows, newest first.',
  examples: ['tidegate runs list', 'tidegate runs list --json'],
  async run(_given, { env, output }) {
    const { listRuns } = await import('../../app/workflows/index.js');
    const runs = listRuns(env);
    output.json({
      runs: runs.map(({ id, name, status, startedAt, ms, file }) => ({
        id,
        name,
        status,
        started_at: startedAt,
        duration_ms: ms,
        file,
      })),
    });
    output.table(
      runs.map(({ id, status, ms, name }) => [
        id,
        status,
        ms === undefined ? '' : elapsed(ms),
        printable(name),
      ]),
    );
    if (runs.length === 0) output.note('No runs yet. Start one: tidegate run <workflow>');
    return exitCodes.ok;
  },
};
