import type { RunEvent, StepResult } from '../../../features/workflows/index.js';
import { elapsed } from '../../terminal/elapsed.js';

type AgentEvent = Extract<RunEvent, { readonly kind: 'agent' }>['event'];

/** The name of a tool as shown to the user; marks the agent's own tools, which bypass Tidegate. */
export function toolLabel({ name, isNative }: { readonly name: string; readonly isNative?: true }): string {
  return isNative === true ? `${name} (the agent's own tool)` : name;
}

/** The calls that an agent was refused; empty if none. */
export function refusedText({ refused = [] }: StepResult, isLong = false): string {
  if (refused.length === 0) return '';
  const names = isLong
    ? refused.map(({ tool, reason }) => `${tool} (${reason})`)
    : [...new Set(refused.map(({ tool }) => tool))];
  return `${String(refused.length)} ${refused.length === 1 ? 'call' : 'calls'} refused: ${names.join(', ')}`;
}

/** Says that an agent retries its model request, and why. */
export function retryText({ waitMs, reason: text }: Extract<AgentEvent, { readonly kind: 'retry' }>): string {
  const reason = text.trim().replace(/\s*[\r\n]+\s*/g, ' ');
  return waitMs === undefined ? `retrying: ${reason}` : `retrying in ${elapsed(waitMs)}: ${reason}`;
}
