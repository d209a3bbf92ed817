import type { RawId } from '../../lib/json-rpc.js';
import type { InFlight, Pending } from './in-flight.js';
import type { Clock } from './options.js';

/** Questions that wait for the answer of a caller. The time limit of the call is paused meanwhile. */
export interface OpenQuestions {
  readonly isFull: boolean;
  has(id: RawId): boolean;
  /** The call that the question belongs to. */
  pendingOf(id: RawId): Pending | undefined;
  /** `expired`: called if there is no answer in time; the question is closed then. */
  add(id: RawId, pending: Pending, expired: () => void): void;
  /** Closes a question. */
  take(id: RawId): void;
  /** Closes the questions of a call, and returns their ids. */
  takeAllOf(pending: Pending): readonly RawId[];
  /** Limits the time of open questions, because others cannot be asked meanwhile. */
  contest(onHeld: (pending: Pending, isForOtherPrincipal: boolean) => void): void;
}

const maxOpen = 64;
const answerMs = 15 * 60_000;
/** How long a question may stay open while it keeps the server from asking others. */
const holdMs = 30_000;

interface Open {
  readonly pending: Pending;
  readonly askedAt: number;
  readonly stop: () => void;
  stopHold?: () => void;
}

export function createOpenQuestions(inFlight: InFlight, clock: Clock): OpenQuestions {
  const open = new Map<RawId, Open>();

  function take(id: RawId): boolean {
    const found = open.get(id);
    open.delete(id);
    found?.stop();
    found?.stopHold?.();
    return found !== undefined;
  }

  return {
    get isFull() {
      return open.size >= maxOpen;
    },
    has: (id) => open.has(id),
    pendingOf: (id) => open.get(id)?.pending,
    add(id, pending, expired) {
      const resume = inFlight.asked(pending);
      const askedAt = clock.now();
      const cancelTimer = clock.after(
        answerMs,
        () => {
          if (take(id)) expired();
        },
        true,
      );
      const stop = (): void => {
        cancelTimer();
        resume(clock.now() - askedAt);
      };
      open.set(id, { pending, askedAt, stop });
    },
    take: (id) => void take(id),
    takeAllOf(pending) {
      const ids = [...open].flatMap(([id, waiting]) => (waiting.pending === pending ? [id] : []));
      for (const id of ids) take(id);
      return ids;
    },
    contest(onHeld) {
      for (const waiting of open.values()) {
        const { call } = waiting.pending;
        const rival = call === undefined ? 'none' : inFlight.rivalOf(call);
        if (rival === 'none' || waiting.stopHold !== undefined) continue;
        const leftMs = Math.max(0, waiting.askedAt + holdMs - clock.now());
        const end = (): void => onHeld(waiting.pending, rival === 'principal');
        waiting.stopHold = clock.after(leftMs, end, true);
      }
    },
  };
}
