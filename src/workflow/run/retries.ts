import { builtinOf, operationInputs } from '../grammar/builtin-operations.js';
import type { Step } from '../grammar/workflow.js';
import type { StepResult } from './result.js';

const defaults: Readonly<Partial<Record<Step['kind'], number>>> = {
  agent: 30 * 60_000,
  operation: 5 * 60_000,
  plugin: 5 * 60_000,
  call_workflow: 5 * 60_000,
};

/** Time limit of a step in milliseconds. Undefined: no limit. */
export function timeoutOf({ kind, common }: Step): number | undefined {
  const { timeout } = common;
  return timeout === undefined || timeout === 0 ? defaults[kind] : timeout;
}

/** Steps other than commands are retried only if they declare that it is safe. */
export function attemptsOf(step: Step): number {
  const { retry } = step.common;
  return retry === undefined || !mayRepeat(step) ? 1 : (retry.max_attempts ?? 1);
}

/** An HTTP request declares it by listing retryable statuses. */
export function mayRepeat(step: Step): boolean {
  return step.kind === 'command' || step.common.retry?.may_repeat === true || namesStatuses(step);
}

function namesStatuses(step: Step): boolean {
  const codes = builtinOf(step) && operationInputs(step)?.['retryable_status_codes'];
  return Array.isArray(codes) && codes.length > 0;
}

/** Delay before the next attempt; undefined if there is none. Timeouts and stopped steps are never retried. */
export function waitBefore(
  { kind, common }: Step,
  result: StepResult,
  attempt: number,
  chance: number,
): number | undefined {
  const { retry = {} } = common;
  if (result.status !== 'failed' || result.error?.code === 'EXECUTION.COMMAND.TIMEOUT') return undefined;
  const codes = retry.retryable_exit_codes ?? [];
  if (kind === 'command' && codes.length > 0 && !codes.includes(result.exitCode)) return undefined;
  // Only a request that failed with a listed status has a status code in its response.
  if (kind === 'operation' && retry.may_repeat !== true && result.response['status_code'] === undefined)
    return undefined;
  const {
    initial_delay: first = 0,
    max_delay: most = 0,
    backoff = 'constant',
    multiplier = 2,
    jitter = 0,
  } = retry;
  const grown =
    backoff === 'linear'
      ? first * attempt
      : backoff === 'exponential'
        ? first * multiplier ** (attempt - 1)
        : first;
  const capped = most > 0 ? Math.min(grown, most) : grown;
  return Math.max(0, capped * (1 + (chance * 2 - 1) * jitter));
}
