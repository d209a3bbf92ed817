/** Reports a repeated event to the operator with a count. */
export interface Refusals {
  /** Report the fields of the last event, and the count of each reason. */
  refused(reason: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Call regularly, so that the last events of a burst are reported too. */
  tend(): void;
  /** Report the remaining events. */
  flush(): void;
}

export type Warn = (message: string, fields: Readonly<Record<string, unknown>>) => void;

const windowMs = 10_000;

/**
 * Warns about the first event at once and then at intervals, with a count, so that failed logins cannot fill
 * the disk. `now` is a monotonic clock: a system clock set back would silence the reports.
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
