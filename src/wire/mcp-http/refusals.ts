/** Something that happens again and again, told to the operator with a count. */
export interface Refusals {
  /** The fields of the last one are told, and how often there was which reason. */
  refused(reason: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Called now and then, so that the last ones of a burst are told as well. */
  tend(): void;
}

export type Warn = (message: string, fields: Readonly<Record<string, unknown>>) => void;

const windowMs = 10_000;

/** Warns of the first at once and then once in a while, with a count: whoever tries tokens cannot fill the disk. */
export function createRefusals(message: string, warn: Warn, now: () => number): Refusals {
  let count = 0;
  let reasons: Readonly<Record<string, number>> = {};
  let last: Readonly<Record<string, unknown>> = {};
  let lastWarning = Number.NEGATIVE_INFINITY;

  function tend(): void {
    if (count === 0 || now() - lastWarning < windowMs) return;
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
  };
}
