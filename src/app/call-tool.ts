import { type Client, createQuietExchange, JsonText, type Outcome, type ToolSpec } from '../kernel/index.js';
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
      client: someClient,
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

/** Those that lead to deferred tools are left out where none are deferred: no client would be shown them. */
export function withoutIdleLeads(tidegate: Tidegate, tools: readonly ToolSpec[]): readonly ToolSpec[] {
  const { surface } = tidegate.surface;
  const session = tidegate.localSession('connection');
  const isLazy = surface.show(session, tools, someClient).some(({ reach }) => reach === 'open');
  surface.forget(session);
  return isLazy ? tools : tools.filter(({ reach }) => reach !== 'open');
}

const someClient: Client = {
  era: 'legacy',
  protocolVersion: 'command',
  capabilities: JsonText.from({}),
};
