import type { RunEvent } from '../app/workflows/index.js';
import { elapsed } from './elapsed.js';

type AgentEvent = Extract<RunEvent, { readonly kind: 'agent' }>['event'];

/** A tool as it is named on the screen: those of the agent itself do not pass the gate. */
export function toolWords({ name, isNative }: { readonly name: string; readonly isNative?: true }): string {
  return isNative === true ? `${name} (its own tool)` : name;
}

/** That an agent asks its model again, and why. */
export function retryWords({
  waitMs,
  reason: said,
}: Extract<AgentEvent, { readonly kind: 'retry' }>): string {
  const reason = said.trim().replace(/\s*[\r\n]+\s*/g, ' ');
  return waitMs === undefined ? `asks again: ${reason}` : `asks again in ${elapsed(waitMs)}: ${reason}`;
}
