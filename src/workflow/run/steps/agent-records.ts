import type { AgentEvent } from '../../../agents/index.js';
import type { Frame, Place } from '../frame.js';
import type { RefusedCall, ToolCount } from '../result.js';

/** Records the work of an agent. */
export interface AgentRecords {
  /** Called before the agent gets its prompt. */
  begin(facts: Readonly<Record<string, unknown>>): void;
  /** Messages and calls are recorded; stream fragments are only shown. */
  take(event: AgentEvent): void;
  tools(): readonly ToolCount[];
  refused(): readonly RefusedCall[];
}

/** Limits the list, because an agent may retry forever. The transcript has all calls. */
const mostRefused = 50;
const longestReason = 300;

export function createAgentRecords({ transcript, parts }: Frame, { path, loop }: Place): AgentRecords {
  const at = { path, ...(loop && { iteration: loop.index }) };
  const counts = new Map<string, ToolCount>();
  const refused: RefusedCall[] = [];
  const count = (name: string, isNative: true | undefined): void => {
    const key = `${String(isNative)} ${name}`;
    const calls = (counts.get(key)?.calls ?? 0) + 1;
    counts.set(key, { name, calls, ...(isNative && { isNative }) });
  };

  function keep(event: AgentEvent): void {
    if (event.kind === 'message') {
      const { role, text } = event;
      const payload = { role, blocks: [{ type: 'text', text }] };
      transcript.write({ ...at, type: `message.${role}`, payload });
    } else if (event.kind === 'launched') {
      const { kind: _, ...payload } = event;
      transcript.write({ ...at, type: 'agent.launched', payload });
    } else if (event.kind === 'call') {
      const { id, name, input } = event;
      count(name, event.isNative);
      const payload = { name, call_id: id, input, ...fidelity(event) };
      transcript.write({ ...at, type: 'tool.call', payload });
    } else if (event.kind === 'result') {
      const { id, name, text, isError, isRefused } = event;
      const said = { ...(isError ? { error: text } : { output: text }), ...(isRefused && { refused: true }) };
      if (isRefused && refused.length < mostRefused) refused.push({ tool: name, reason: reasonIn(text) });
      const payload = { name, call_id: id, ...said, ...fidelity(event) };
      transcript.write({ ...at, type: 'tool.result', payload });
    } else if (event.kind === 'bypass') {
      const { name, input, text } = event;
      count(name, true);
      const payload = { name, input, output: text, fidelity: 'agent' };
      transcript.write({ ...at, type: 'tool.call.bypassed', payload });
    }
  }

  return {
    begin: (payload) => transcript.write({ ...at, type: 'agent.started', payload }),
    take(event) {
      keep(event);
      parts.onEvent({ kind: 'agent', path, event });
    },
    tools: () => [...counts.values()],
    refused: () => [...refused],
  };
}

function reasonIn(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line.length > longestReason ? `${line.slice(0, longestReason)}…` : line;
}

/** Whether the gateway saw the call, or only the agent reported it. */
function fidelity({ isNative }: { readonly isNative?: true }): { readonly fidelity: 'gate' | 'agent' } {
  return { fidelity: isNative === true ? 'agent' : 'gate' };
}
