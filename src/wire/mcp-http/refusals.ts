/** Requests that nobody was let in with. */
export interface Refusals {
  refused(address: string | undefined): void;
  /** Called now and then, so that the last ones of a burst are told as well. */
  tend(): void;
}

export type Warn = (message: string, fields: Readonly<Record<string, unknown>>) => void;

const windowMs = 10_000;

/** Warns of the first at once and then once in a while, with a count: whoever tries tokens cannot fill the disk. */
export function createRefusals(warn: Warn, now: () => number): Refusals {
  let count = 0;
  let address: string | undefined;
  let lastWarning = Number.NEGATIVE_INFINITY;

  function tend(): void {
    if (count === 0 || now() - lastWarning < windowMs) return;
    warn('refused over HTTP: no token, or a wrong one', { count, address });
    lastWarning = now();
    count = 0;
  }

  return {
    refused(from) {
      count += 1;
      address = from;
      tend();
    },
    tend,
  };
}
