import type { RunAnswer, RunResult, StepResult } from '../../../features/workflows/index.js';
import { printable, printableLines, shellWord } from '../../../config/index.js';
import type { Context } from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { didYouMean } from '../../nearest-name.js';
import type { Output } from '../../terminal/output.js';
import { elapsed } from '../../terminal/elapsed.js';

/** Prints how a run ended, and returns its exit status. */
export async function shownRun(answer: RunAnswer, context: Context, hasFile = true): Promise<number> {
  if (answer.kind === 'ran') return ended(answer.result, answer.folder, context);
  if (answer.kind === 'busy') {
    throw new Failure(
      'run.busy',
      `Another process is running ${answer.run}.`,
      `tidegate runs show ${shellWord(answer.run)}`,
    );
  }
  if (answer.kind === 'broken') throw brokenRun(answer.run);
  if (answer.kind === 'untrusted') throw untrustedRun(answer.run);
  if (answer.kind === 'revoked') throw revokedRun(answer.run);
  if (answer.kind === 'finished') return finished(answer.run, context);
  if (answer.kind === 'unknown') throw unknown(answer);
  if (answer.kind === 'inputs') {
    const { problems, missing } = answer;
    const words = missing.map(({ name }) => `Missing input "${name}". Pass it with -i ${name}=…`);
    throw new Failure('workflow.inputs', 'Nothing was started: inputs are missing or invalid.', undefined, [
      ...problems,
      ...words,
    ]);
  }
  if (!hasFile) throw notStarted(answer);
  const { describeFinding } = await import('../../../features/workflows/index.js');
  throw new Failure(
    'workflow.invalid',
    'Nothing was started: the workflow has errors.',
    `tidegate validate ${shellWord(answer.file)}`,
    answer.findings.map((finding) => describeFinding(finding)),
  );
}

/** For a run without a file, where positions mean nothing to the user. */
function notStarted({ findings }: Extract<RunAnswer, { readonly kind: 'invalid' }>): Failure {
  const errors = findings.filter(({ severity }) => severity === 'error');
  const words = errors.map(({ message, remedy }) => `${message} ${remedy}`);
  return new Failure(
    'workflow.invalid',
    'Nothing was started: the agent cannot run with these options.',
    'tidegate run --help',
    words,
  );
}

function unknown({ what, name, known }: Extract<RunAnswer, { readonly kind: 'unknown' }>): Failure {
  const near = didYouMean(name, known);
  if (what === 'run')
    return new Failure('run.not_found', `Unknown run: ${quoted(name)}.${near}`, 'tidegate runs list');
  if (what === 'step') {
    const all = near === '' ? ` Available: ${known.join(', ')}.` : near;
    return new Failure('workflow.no_step', `The workflow has no step ${quoted(name)}.${all}`);
  }
  return noWorkflow(name, known);
}

/** Changed files must not let a run that an agent started act with the operator's rights. */
function untrustedRun({ id, startedBy, file }: FinishedRun): Failure {
  const message = `${printable(startedBy)} started run ${id}, and the current workflow files are not trusted. Nothing was done.`;
  return new Failure('run.untrusted', message, `review them, then run: tidegate trust ${shellWord(file)}`);
}

/** A revocation also applies to the rest of a run. */
function revokedRun({ id, startedBy }: FinishedRun): Failure {
  const message = `${printable(startedBy)} started run ${id} and may no longer run workflows. Nothing was done.`;
  const next = `to resume with your own rights: tidegate run --resume ${shellWord(id)} --take-over`;
  return new Failure('run.revoked', message, next);
}

/** The journal was tampered with or damaged, so none of it can be trusted. */
export function brokenRun(id: string): Failure {
  const message = `The journal of run ${quoted(id)} is damaged or has been changed by another program.`;
  return new Failure('run.broken', message, 'tidegate runs list');
}

/** Suggests a similar name, or lists all workflows. */
export function noWorkflow(name: string, known: readonly string[]): Failure {
  const near = didYouMean(name, known);
  const all = known.length === 0 ? ' No workflows found here.' : ` Available: ${known.join(', ')}.`;
  return new Failure(
    'workflow.not_found',
    `Unknown workflow: ${quoted(name)}.${near === '' ? all : near}`,
    known.length === 0
      ? 'create .tidegate/workflows/<name>.yaml, or pass the path of a file'
      : 'tidegate validate',
  );
}

function quoted(name: string): string {
  return JSON.stringify(name);
}

function finished(run: FinishedRun, { output }: Context): number {
  const { id, status, ms, message, outputs, folder, steps } = run;
  output.json({
    run: id,
    status,
    already_completed: true,
    duration_ms: ms,
    ...(message !== undefined && { message }),
    ...(outputs && { outputs }),
    folder,
    steps: steps.map(({ name, result }) => stepJson(name, result)),
  });
  shownOutputs(outputs, output);
  output.line(`Run ${id} has already completed. Nothing was done.`);
  return exitCodes.ok;
}

type FinishedRun = Extract<RunAnswer, { readonly kind: 'finished' }>['run'];

function shownOutputs(outputs: Readonly<Record<string, unknown>> | undefined, output: Output): void {
  for (const [name, value] of Object.entries(outputs ?? {})) output.line(shownOutput(name, value));
}

function ended(result: RunResult, folder: string, { output }: Context): number {
  const { runId, status, ms, message, code, outputs, states, totals, exitCode } = result;
  const steps = [...states];
  output.json({
    run: runId,
    status,
    duration_ms: ms,
    ...(message !== undefined && { message }),
    ...(code !== undefined && { code }),
    ...(outputs && { outputs }),
    totals,
    folder,
    steps: steps.map(([name, step]) => stepJson(name, step)),
    ...stepsOn(result),
  });
  shownOutputs(outputs, output);
  // On a terminal, the message was cut to one line.
  const isTold =
    output.screen === undefined &&
    steps.some(([name, { error }]) => error !== undefined && message === `${name}: ${error.message}`);
  if (message !== undefined && !isTold)
    output.say(printableLines(status === 'completed' ? message : `${code ?? ''}: ${message}`));
  const { tokens, cost } = totals;
  const facts = [
    progressText(totals),
    elapsed(ms),
    ...(tokens > 0 ? [`${tokens} tokens`] : []),
    ...(cost > 0 ? [`$${cost.toFixed(4)}`] : []),
  ];
  const colour = status === 'completed' ? 'green' : 'red';
  output.line(`Run ${runId} ${output.paint(colour, status)}: ${facts.join(', ')}.`);
  if (status === 'cancelled') output.note('All processes it started were stopped.');
  for (const [word, next] of Object.entries(stepsOn(result))) output.note(`${word}: ${printable(next)}`);
  return exitCode;
}

/** The next commands: first the one that fixes the failure, if known, then the one that resumes. */
function stepsOn({ status, states, runId }: RunResult): Readonly<Record<string, string>> {
  if (status === 'completed') return {};
  const resume = `tidegate run --resume ${shellWord(runId)}`;
  const fix = [...states.values()].findLast(({ error }) => error?.next !== undefined)?.error?.next;
  return fix === undefined || status !== 'failed' ? { next: resume } : { next: fix, then: resume };
}

/** Says so if no steps completed. */
function progressText({ steps, completed }: RunResult['totals']): string {
  return completed === 0 && steps > 0
    ? 'no steps completed'
    : `${String(completed)} of ${String(steps)} steps`;
}

function shownOutput(name: string, value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.includes('\n') || text.length > 80
    ? `${printable(name)}:\n${printableLines(text)}`
    : `${printable(name)}: ${printableLines(text)}`;
}

function usageJson({ isEstimated, ...usage }: NonNullable<StepResult['usage']>): object {
  return { ...usage, is_estimated: isEstimated };
}

function toolJson({ name, calls, isNative }: NonNullable<StepResult['tools']>[number]): object {
  return { name, calls, ...(isNative && { is_native: true }) };
}

export function stepJson(name: string, step: StepResult): Readonly<Record<string, unknown>> {
  const { status, output, stderr, exitCode, startedAt, ms, error, usage, attempts, tools, refused } = step;
  return {
    name,
    ...(step.path !== undefined && { path: step.path }),
    status,
    output,
    ...(stderr !== '' && { stderr }),
    exit_code: exitCode,
    started_at: startedAt,
    duration_ms: Math.round(ms),
    attempts,
    ...(usage && { usage: usageJson(usage) }),
    ...(tools && { tools: tools.map(toolJson) }),
    ...(refused && { refused }),
    ...(error && { error }),
  };
}
