import type { AgentEvent } from '../../../agents/index.js';
import type { Frame, Place } from '../frame.js';
import type { ToolCount } from '../result.js';

/** What is kept of an agent's work. */
export interface AgentRecords {
  /** Before it is asked anything. */
  begin(facts: Readonly<Record<string, unknown>>): void;
  /** Messages and calls are kept; the words of a stream are only shown. */
  take(event: AgentEvent): void;
  tools(): readonly ToolCount[];
}

export function createAgentRecords({ transcript, parts }: Frame, { path, loop }: Place): AgentRecords {
  const at = { path, ...(loop && { iteration: loop.index }) };
  const counts = new Map<string, ToolCount>();
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
      const { id, name, text, isError } = event;
      const said = isError ? { error: text } : { output: text };
      transcript.write({
        ...at,
        type: 'tool.result',
        payload: { name, call_id: id, ...said, ...fidelity(event) },
      });
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
  };
}

/** Who saw it: the gate, through which it went, or only the agent that tells of it. */
function fidelity({ isNative }: { readonly isNative?: true }): { readonly fidelity: 'gate' | 'agent' } {
  return { fidelity: isNative === true ? 'agent' : 'gate' };
}
