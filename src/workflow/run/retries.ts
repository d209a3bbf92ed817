import type { Step } from '../grammar/workflow.js';
import type { StepResult } from './result.js';

const defaults: Readonly<Partial<Record<Step['kind'], number>>> = {
  agent: 30 * 60_000,
  operation: 5 * 60_000,
  plugin: 5 * 60_000,
  call_workflow: 5 * 60_000,
};

/** How long a step may take, in milliseconds. Undefined: as long as it likes. */
export function timeoutOf({ kind, common }: Step): number | undefined {
  const { timeout } = common;
  return timeout === undefined || timeout === 0 ? defaults[kind] : timeout;
}

/** All but commands are tried again only where they say that it does no harm. */
export function attemptsOf({ kind, common: { retry } }: Step): number {
  if (retry === undefined || (kind !== 'command' && retry.may_repeat !== true)) return 1;
  return retry.max_attempts ?? 1;
}

/** How long to wait before the next attempt. Undefined: there is none. Time-outs and stops are never tried again. */
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
