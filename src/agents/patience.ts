import type { AgentFailure, AgentOrder } from './agent.js';
import { addressOf, type Asked, isNoAnswer, unauthorized, unavailable } from './cli-trouble.js';
import type { AgentCli, CliEvent } from './launch.js';
import { nobodyListens } from './nobody-listens.js';

/** Decides how long an agent may wait for its model, and reports the waiting time. */
export interface Patience {
  /** Replaces the event handler of the order: while a gateway tool runs, the model is not being waited for. */
  readonly onEvent: AgentOrder['onEvent'];
  /** Receives the parsed output of the CLI. */
  take(event: CliEvent): void;
  /** Resolves when the model will certainly not answer; otherwise stays pending. */
  readonly hopeless: Promise<AgentFailure>;
  close(): void;
}

export interface PatienceParts {
  readonly cli: AgentCli;
  readonly asked: Asked;
  readonly onEvent: AgentOrder['onEvent'];
  readonly looks?: (address: string, env: Asked['env']) => Promise<boolean>;
}

const lookMs = 10_000;
/** Failed checks, before the first answer, after which the model is given up. */
const mostInVain = 3;
/** How long the CLI may report a missing response. */
const longestUnheardMs = 60_000;

/**
 * CLIs retry for minutes, one of them forever. That is right for a model that has answered before or is busy. Only a
 * model that never answered and shows no sign of ever answering is given up.
 */
export function openPatience({ cli, asked, onEvent, looks = nobodyListens }: PatienceParts): Patience {
  const address = addressOf(cli, asked);
  let giveUp = (_failure: AgentFailure): void => undefined;
  const hopeless = new Promise<AgentFailure>((resolve) => {
    giveUp = resolve;
  });
  let [working, ticks, unheard, refused] = [0, 0, 0, 0];
  let hasAnswered = false;
  let unreachableSince: number | undefined;
  let timer = setInterval(tick, lookMs);

  function again(): void {
    clearInterval(timer);
    timer = setInterval(tick, lookMs);
    [ticks, unheard] = [0, 0];
  }

  function tick(): void {
    if (working > 0) return;
    ticks += 1;
    // 10 s, 20 s, 40 s and so on: a model may think for a long time.
    if (Number.isInteger(Math.log2(ticks))) onEvent({ kind: 'waiting', ms: ticks * lookMs });
    if (hasAnswered) return;
    tellUnreachable();
    if (address !== undefined) void look(address);
  }

  async function look(at: string): Promise<void> {
    unheard = (await looks(at, asked.env)) ? unheard + 1 : 0;
    if (unheard >= mostInVain && !hasAnswered)
      giveUp(unavailable(cli, asked, `nothing is listening at ${at}`));
  }

  function tellUnreachable(): void {
    const ms = unreachableSince === undefined ? 0 : performance.now() - unreachableSince;
    if (ms >= longestUnheardMs) giveUp(unavailable(cli, asked, 'the model does not respond'));
  }

  function retried({ status, reason }: Extract<CliEvent, { readonly kind: 'retry' }>): void {
    refused = status === 401 ? refused + 1 : 0;
    if (refused >= mostInVain && !hasAnswered)
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
    hopeless,
    close: () => clearInterval(timer),
  };
}
