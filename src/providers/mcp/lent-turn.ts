import type { Exchange } from '../../kernel/index.js';
import type { Clock } from './options.js';
import type { Turns } from './turns.js';

/** A call's turn, which others may have while its caller thinks about a question. */
export interface LentTurn {
  readonly exchange: Exchange;
  end(): void;
}

export interface LentTurnParts {
  readonly turns: Turns;
  readonly client: string;
  readonly exchange: Exchange;
  readonly clock: Clock;
  /** Ends the turn that the call has now. */
  readonly end: () => void;
}

/** Programs answer sooner. While a question is open, no other session can be asked one. */
const patienceMs = 1000;

/** People take minutes to answer, or never do: nobody else shall wait for that. */
export function lendTurn({ turns, client, exchange, clock, end }: LentTurnParts): LentTurn {
  let endTurn: (() => void) | undefined = end;
  let open = 0;
  let isOver = false;
  const hasEnded = (): boolean => isOver;

  function giveBack(): void {
    endTurn?.();
    endTurn = undefined;
  }

  async function takeAgain(): Promise<void> {
    if (endTurn !== undefined || hasEnded()) return;
    const taken = await turns.take(client, exchange.signal);
    // One that waited in vain goes on all the same: its server has waited long enough for the answer.
    if (typeof taken !== 'function') return;
    endTurn = taken;
    if (hasEnded()) giveBack();
  }

  const ask: Exchange['ask'] = async (question) => {
    open += 1;
    const stopTimer = clock.after(
      patienceMs,
      () => {
        if (open > 0) giveBack();
      },
      true,
    );
    try {
      return await exchange.ask(question);
    } finally {
      stopTimer();
      open -= 1;
      if (open === 0) await takeAgain();
    }
  };

  return {
    exchange: withAsk(exchange, ask),
    end() {
      isOver = true;
      giveBack();
    },
  };
}

function withAsk(exchange: Exchange, ask: Exchange['ask']): Exchange {
  const { wantsProgress, logLevel, asking } = exchange;
  return {
    wantsProgress,
    logLevel,
    asking,
    ask,
    progress: (params) => exchange.progress(params),
    log: (level, params) => exchange.log(level, params),
    canAnswer: (method) => exchange.canAnswer(method),
    onCancel: (listener) => exchange.onCancel(listener),
    get isCancelled() {
      return exchange.isCancelled;
    },
    get signal() {
      return exchange.signal;
    },
  };
}
