import { printable } from '../../../config/index.js';
import type { Command } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { elapsed } from '../../terminal/elapsed.js';

export const runsList: Command = {
  name: 'runs list',
  summary: 'List workflow runs, newest first.',
  examples: ['tidegate runs list', 'tidegate runs list --json'],
  async run(_given, { env, output }) {
    const { listRuns } = await import('../../../features/workflows/index.js');
    const runs = listRuns(env);
    output.json({
      runs: runs.map(({ id, name, status, startedAt, startedBy, ms, file }) => ({
        id,
        name,
        status,
        started_at: startedAt,
        started_by: startedBy,
        duration_ms: ms,
        file,
      })),
    });
    output.table(
      runs.map(({ id, status, ms, name, startedBy }) => [
        id,
        status,
        ms === undefined ? '' : elapsed(ms),
        printable(name),
        printable(startedBy),
      ]),
    );
    if (runs.length === 0) output.note('No runs yet. Start one: tidegate run <workflow>');
    return exitCodes.ok;
  },
};
