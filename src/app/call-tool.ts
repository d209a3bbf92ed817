import { createQuietExchange, JsonText, type Outcome, type ToolSpec } from '../kernel/index.js';
import type { Tidegate } from './tidegate.js';

/** Calls a tool as the operator, through the same corridor as everyone. */
export async function callTool(
  tidegate: Tidegate,
  name: string,
  argumentsText: string,
  signal: AbortSignal,
): Promise<Outcome> {
  await tidegate.gateway.settle();
  return tidegate.gateway.call(
    {
      id: tidegate.newRequestId(),
      session: tidegate.localSession('connection'),
      client: { era: 'legacy', protocolVersion: 'command', capabilities: JsonText.from({}) },
      wanted: { kind: 'tool', name },
      params: new JsonText(`{"name":${JSON.stringify(name)},"arguments":${argumentsText}}`),
    },
    createQuietExchange(signal),
  );
}

export async function listTools(tidegate: Tidegate): Promise<readonly ToolSpec[]> {
  await tidegate.gateway.settle();
  return tidegate.gateway.visibleTools(tidegate.localSession('connection'));
}
