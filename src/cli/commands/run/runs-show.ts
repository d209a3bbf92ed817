import { printable, printableLines, shellWord } from '../../../config/index.js';
import type { StepResult } from '../../../features/workflows/index.js';
import { refusedText, toolLabel } from './agent-text.js';
import type { Command } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { brokenRun, stepJson } from './run-result.js';
import { elapsed } from '../../terminal/elapsed.js';

export const runsShow: Command = {
  name: 'runs show',
  summary: 'Show what a run did, step by step, and where its records are stored.',
  arguments: [{ name: '<run>', about: 'Run ID, as shown by `runs list`.' }],
  examples: ['tidegate runs show 20260728-101500-a1b2c3'],
  async run(given, { env, output }) {
    const { showRun } = await import('../../../features/workflows/index.js');
    const [id = ''] = given.arguments;
    const run = showRun(env, id);
    if (run === undefined)
      throw new Failure('run.not_found', `Unknown run: ${JSON.stringify(id)}.`, 'tidegate runs list');
    if (run.status === 'broken') throw brokenRun(id);
    const { name, status, startedAt, startedBy, ms, message, code, file, folder, steps, outputs } = run;
    output.json({
      id,
      name,
      status,
      started_at: startedAt,
      started_by: startedBy,
      duration_ms: ms,
      message,
      code,
      file,
      folder,
      outputs,
      steps: steps.map(({ name: of, result }) => stepJson(of, result)),
    });
    output.line(`${printable(name)}  ${status}${ms === undefined ? '' : ` in ${elapsed(ms)}`}`);
    output.say(`started ${printable(startedAt)} by ${printable(startedBy)} from ${printable(file)}`);
    if (message !== undefined) output.say(printableLines(`${code ?? ''} ${message}`.trim()));
    output.table(
      steps.map(({ key, result }) => [
        `  ${printable(result.path ?? key)}`,
        result.status,
        elapsed(result.ms),
        printable(factsOf(result)),
      ]),
      'wrapped',
    );
    output.line(`records: ${printable(folder)}`);
    if (status === 'failed' || status === 'cancelled' || status === 'interrupted')
      output.note(`next: tidegate run --resume ${shellWord(id)}`);
    return exitCodes.ok;
  },
};

/** Tokens, cost, calls, refused calls and the error of a step. */
function factsOf(result: StepResult): string {
  const { usage, tools = [], error, refused } = result;
  const calls = tools.map((one) => `${toolLabel(one)}${one.calls > 1 ? ` × ${String(one.calls)}` : ''}`);
  const cost = usage?.cost ?? 0;
  return [
    ...(usage === undefined ? [] : [`${String(usage.input + usage.output)} tokens`]),
    ...(cost > 0 ? [`$${cost.toFixed(4)}`] : []),
    ...(calls.length === 0 ? [] : [`called ${calls.join(', ')}`]),
    ...(refused === undefined ? [] : [refusedText(result, true)]),
    ...(error === undefined ? [] : [`${error.code}: ${error.message}`]),
  ].join(', ');
}
