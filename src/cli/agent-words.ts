import type { RunEvent } from '../app/workflows/index.js';
import { elapsed } from './elapsed.js';

type AgentEvent = Extract<RunEvent, { readonly kind: 'agent' }>['event'];

/** That an agent asks its model again, and why. */
export function retryWords({ waitMs, reason }: Extract<AgentEvent, { readonly kind: 'retry' }>): string {
  return waitMs === undefined ? `asks again: ${reason}` : `asks again in ${elapsed(waitMs)}: ${reason}`;
}
