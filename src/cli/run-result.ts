import type { RunAnswer, RunResult, StepResult } from '../app/workflows/index.js';
import { printableLines } from '../config/index.js';
import type { Context } from './command.js';
import { Failure } from './failure.js';
import { elapsed } from './run-view.js';

/** Says how a run ended, and gives its exit status. */
export async function shownRun(answer: RunAnswer, context: Context): Promise<number> {
  if (answer.kind === 'ran') return ended(answer.result, answer.folder, context);
  if (answer.kind === 'busy') {
    throw new Failure(
      'run.busy',
      `Another process runs ${answer.run} just now.`,
      `tidegate runs show ${answer.run}`,
    );
  }
  if (answer.kind === 'unknown') throw unknown(answer);
  if (answer.kind === 'inputs') {
    const { problems, missing } = answer;
    const words = missing.map(({ name }) => `The input "${name}" is missing: give it with -i ${name}=…`);
    throw new Failure('workflow.inputs', 'Nothing was started: inputs are missing or wrong.', undefined, [
      ...problems,
      ...words,
    ]);
  }
  const { describeFinding } = await import('../app/workflows/index.js');
  throw new Failure(
    'workflow.invalid',
    'Nothing was started: the workflow has errors.',
    'tidegate validate',
    answer.findings.map(describeFinding),
  );
}

function unknown({ what, name }: Extract<RunAnswer, { readonly kind: 'unknown' }>): Failure {
  const shown = JSON.stringify(name);
  if (what === 'run') return new Failure('run.not_found', `There is no run ${shown}.`, 'tidegate runs list');
  if (what === 'step')
    return new Failure('workflow.no_step', `The workflow has no step ${shown}.`, 'tidegate run --dry-run');
  return new Failure('workflow.not_found', `There is no workflow ${shown}.`, 'tidegate validate');
}

function ended(result: RunResult, folder: string, { output }: Context): number {
  const { runId, status, ms, message, code, outputs, states, exitCode } = result;
  const steps = [...states];
  output.json({
    run: runId,
    status,
    duration_ms: ms,
    ...(message !== undefined && { message }),
    ...(code !== undefined && { code }),
    ...(outputs && { outputs }),
    folder,
    steps: steps.map(([name, step]) => stepJson(name, step)),
  });
  if (outputs !== undefined)
    for (const [name, value] of Object.entries(outputs)) output.line(shownOutput(name, value));
  if (message !== undefined)
    output.line(printableLines(status === 'completed' ? message : `${code ?? ''}: ${message}`));
  const usage = steps.flatMap(([, step]) => (step.usage ? [step.usage] : []));
  const tokens = usage.reduce((sum, one) => sum + one.input + one.output, 0);
  const cost = usage.reduce((sum, one) => sum + (one.cost ?? 0), 0);
  const facts = [
    `${steps.filter(([, step]) => step.status === 'completed').length} of ${steps.length} steps`,
    elapsed(ms),
    ...(tokens > 0 ? [`${tokens} tokens`] : []),
    ...(cost > 0 ? [`$${cost.toFixed(4)}`] : []),
  ];
  const colour = status === 'completed' ? 'green' : 'red';
  output.line(`Run ${runId} ${output.paint(colour, status)}: ${facts.join(', ')}.`);
  if (status === 'cancelled') output.note('Everything that it started was ended.');
  if (status !== 'completed') output.note(`next: tidegate run --resume ${runId}`);
  return exitCode;
}

function shownOutput(name: string, value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.includes('\n') || text.length > 80
    ? `${name}:\n${printableLines(text)}`
    : `${name}: ${printableLines(text)}`;
}

export function stepJson(name: string, step: StepResult): Readonly<Record<string, unknown>> {
  const { status, output, stderr, exitCode, startedAt, ms, error, usage, attempts } = step;
  return {
    name,
    status,
    output,
    ...(stderr !== '' && { stderr }),
    exit_code: exitCode,
    started_at: startedAt,
    duration_ms: Math.round(ms),
    attempts,
    ...(usage && { usage }),
    ...(error && { error }),
  };
}
