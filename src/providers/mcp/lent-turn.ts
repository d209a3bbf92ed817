import { deriveExchange, type Exchange } from '../../core/index.js';
import type { Clock } from './options.js';
import type { Taker, Turns } from './turns.js';

/** The turn of a call. Others may use it while the caller answers a question. */
export interface LentTurn {
  readonly exchange: Exchange;
  end(): void;
}

export interface LentTurnParts {
  readonly turns: Turns;
  readonly taker: Taker;
  readonly exchange: Exchange;
  readonly clock: Clock;
  /** Ends the current turn of the call. */
  readonly end: () => void;
}

/** Programs answer faster than this. While a question is open, no other session can be asked. */
const patienceMs = 1000;

/** Lends the turn to others, because people may take minutes to answer or never do. */
export function lendTurn({ turns, taker, exchange, clock, end }: LentTurnParts): LentTurn {
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
    const taken = await turns.take(taker, exchange.signal);
    // Continue without a turn, because the server has waited long enough for the answer.
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
    exchange: deriveExchange(() => exchange, { ask }),
    end() {
      isOver = true;
      giveBack();
    },
  };
}
