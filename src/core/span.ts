import type { Trace } from './call.js';

/** A trace span. */
export interface OpenSpan {
  /** Trace context for child spans. */
  readonly trace: Trace;
  /** `error` is a short code, never text from outside. */
  end(error?: string): void;
}

/** Starts a span that is not a call. */
export type OpenSpanFor = (
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  parent: Trace | undefined,
) => OpenSpan;
