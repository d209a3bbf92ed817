import type { Attempt, Call, Outcome, Request } from './call.js';
import type { EndStep, Exchange } from './exchange.js';

/** The corridor, in its one order. The provider stands at its end. */
export const stages = ['policy', 'approval', 'limit', 'cache', 'redaction'] as const;
export type Stage = (typeof stages)[number];

/** Goes on down the corridor; a stage may hand on a wrapped exchange, never another call. */
export type Next = (exchange: Exchange) => Promise<Outcome>;

/** May refuse, narrow or change the outcome. Never widens; never changes name, principal or input. */
export interface Interceptor {
  readonly stage: Stage;
  readonly name: string;
  handle(call: Call, exchange: Exchange, next: Next): Promise<Outcome>;
}

/** Sees every attempt, refused ones too, and changes nothing. */
export interface Observer {
  readonly name: string;
  begin(request: Request): (attempt: Attempt) => void;
  /** A part of the work on a request that has begun. */
  step?(requestId: string, name: string): EndStep;
}
