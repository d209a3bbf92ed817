/** Something that happens again and again, told to the operator with a count. */
export interface Refusals {
  /** The fields of the last one are told, and how often there was which reason. */
  refused(reason: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Called now and then, so that the last ones of a burst are told as well. */
  tend(): void;
  /** Tells of those that were not told yet. */
  flush(): void;
}

export type Warn = (message: string, fields: Readonly<Record<string, unknown>>) => void;

const windowMs = 10_000;

/**
 * Warns of the first at once and then once in a while, with a count: whoever tries tokens cannot fill the disk. `now` is a
 * clock that nobody can set: after a step back of the system's, nothing would be told for as long.
 */
export function createRefusals(message: string, warn: Warn, now: () => number): Refusals {
  let count = 0;
  let reasons: Readonly<Record<string, number>> = {};
  let last: Readonly<Record<string, unknown>> = {};
  let lastWarning = Number.NEGATIVE_INFINITY;

  function tend(): void {
    if (now() - lastWarning >= windowMs) flush();
  }

  function flush(): void {
    if (count === 0) return;
    warn(message, { count, reasons, ...last });
    lastWarning = now();
    count = 0;
    reasons = {};
  }

  return {
    refused(reason, fields = {}) {
      count += 1;
      reasons = { ...reasons, [reason]: (reasons[reason] ?? 0) + 1 };
      last = fields;
      tend();
    },
    tend,
    flush,
  };
}
