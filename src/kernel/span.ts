import type { Trace } from './call.js';

/** A piece of work that is being watched. */
export interface OpenSpan {
  /** By which what is done for it becomes its child. */
  readonly trace: Trace;
  /** `error` is a short word, never a text of somebody else. */
  end(error?: string): void;
}

/** Begins a span of our own, beside those of calls. */
export type OpenSpanFor = (
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  parent: Trace | undefined,
) => OpenSpan;
