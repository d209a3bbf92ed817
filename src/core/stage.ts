import type { Attempt, Beginning } from './attempt.js';
import type { Call, Outcome } from './call.js';
import type { EndStep, Exchange } from './exchange.js';

/** The pipeline stages in order. The provider comes last. */
export const stageNames = ['policy', 'limits', 'approval', 'results', 'cache', 'redaction'] as const;
export type StageName = (typeof stageNames)[number];

/** Continues with the next stage. A stage may pass on a wrapped exchange, but never another call. */
export type Next = (exchange: Exchange) => Promise<Outcome>;

/** May refuse a call or change its outcome. Never adds rights, never changes name, principal or input. */
export interface Stage {
  readonly stage: StageName;
  readonly name: string;
  handle(call: Call, exchange: Exchange, next: Next): Promise<Outcome>;
}

/** Sees every attempt without secrets, including refused ones, and changes nothing. */
export interface Observer {
  readonly name: string;
  begin(begun: Beginning): (attempt: Attempt) => void;
  /** A step within a request has started. */
  step?(requestId: string, name: string): EndStep;
}
