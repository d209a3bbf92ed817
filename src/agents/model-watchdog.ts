import type { AgentFailure, AgentOrder } from './agent.js';
import { addressOf, type Asked, isNoAnswer, unauthorized, unavailable } from './cli-failure.js';
import type { AgentCli, CliEvent } from './launch.js';
import { isPortClosed } from './is-port-closed.js';

/** Decides how long an agent may wait for its model, and reports the waiting time. */
export interface ModelWatchdog {
  /** Replaces the event handler of the order: while a gateway tool runs, the model is not being waited for. */
  readonly onEvent: AgentOrder['onEvent'];
  /** Receives the parsed output of the CLI. */
  take(event: CliEvent): void;
  /** Resolves when the model will certainly not answer; otherwise stays pending. */
  readonly givenUp: Promise<AgentFailure>;
  close(): void;
}

export interface ModelWatchdogParts {
  readonly cli: AgentCli;
  readonly asked: Asked;
  readonly onEvent: AgentOrder['onEvent'];
  readonly check?: (address: string, env: Asked['env']) => Promise<boolean>;
}

const checkMs = 10_000;
/** Failed checks, before the first answer, after which the model is given up. */
const maxFailedChecks = 3;
/** How long the CLI may report a missing response. */
const maxUnreachableMs = 60_000;

/**
 * CLIs retry for minutes, one of them forever. That is right for a model that has answered before or is busy. Only a
 * model that never answered and shows no sign of ever answering is given up.
 */
export function openModelWatchdog({
  cli,
  asked,
  onEvent,
  check = isPortClosed,
}: ModelWatchdogParts): ModelWatchdog {
  const address = addressOf(cli, asked);
  let giveUp = (_failure: AgentFailure): void => undefined;
  const givenUp = new Promise<AgentFailure>((resolve) => {
    giveUp = resolve;
  });
  let [working, ticks, failedChecks, refused] = [0, 0, 0, 0];
  let hasAnswered = false;
  let unreachableSince: number | undefined;
  let timer = setInterval(tick, checkMs);

  function again(): void {
    clearInterval(timer);
    timer = setInterval(tick, checkMs);
    [ticks, failedChecks] = [0, 0];
  }

  function tick(): void {
    if (working > 0) return;
    ticks += 1;
    // 10 s, 20 s, 40 s and so on: a model may think for a long time.
    if (Number.isInteger(Math.log2(ticks))) onEvent({ kind: 'waiting', ms: ticks * checkMs });
    if (hasAnswered) return;
    checkReachable();
    if (address !== undefined) void look(address);
  }

  async function look(at: string): Promise<void> {
    failedChecks = (await check(at, asked.env)) ? failedChecks + 1 : 0;
    if (failedChecks >= maxFailedChecks && !hasAnswered)
      giveUp(unavailable(cli, asked, `nothing is listening at ${at}`));
  }

  function checkReachable(): void {
    const ms = unreachableSince === undefined ? 0 : performance.now() - unreachableSince;
    if (ms >= maxUnreachableMs) giveUp(unavailable(cli, asked, 'the model does not respond'));
  }

  function retried({ status, reason }: Extract<CliEvent, { readonly kind: 'retry' }>): void {
    refused = status === 401 ? refused + 1 : 0;
    if (refused >= maxFailedChecks && !hasAnswered)
      giveUp(unauthorized(cli, asked, 'the model rejects the API key'));
    if (!isNoAnswer(reason)) unreachableSince = undefined;
    else unreachableSince ??= performance.now();
  }

  function count(change: 1 | -1): void {
    working = Math.max(0, working + change);
    again();
  }

  return {
    onEvent(event) {
      if (event.kind === 'call') count(1);
      else if (event.kind === 'result') count(-1);
      onEvent(event);
    },
    take(event) {
      if (event.kind === 'retry') return retried(event);
      if (event.kind !== 'text' && event.kind !== 'use' && event.kind !== 'result') return;
      hasAnswered = true;
      // The gateway reports its own tool calls.
      if (event.kind === 'text' || !event.isNative) again();
      else count(event.kind === 'use' ? 1 : -1);
    },
    givenUp,
    close: () => clearInterval(timer),
  };
}
