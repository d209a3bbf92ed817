import { type Client, createFault, createQuietExchange, type Outcome, type ToolSpec } from '../core/index.js';
import { duplicateKey } from '../lib/json-scan.js';
import { JsonText, withMembers } from '../lib/json-text.js';
import type { Tidegate } from '../workspace/tidegate.js';

/** Calls a tool as the operator, through the same pipeline as every other call. */
export async function callTool(
  tidegate: Tidegate,
  name: string,
  argumentsText: string,
  signal: AbortSignal,
): Promise<Outcome> {
  const twin = duplicateKey(argumentsText);
  if (twin !== undefined) {
    const message = `Duplicate argument: ${JSON.stringify(twin)}.`;
    return { kind: 'fault', fault: createFault('input.invalid', message) };
  }
  await tidegate.gateway.registry.settle();
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
  await tidegate.gateway.registry.settle();
  return tidegate.gateway.registry.visibleTools(tidegate.localSession('connection')).list;
}

/** The unchanged definition plus source, effect and tier. */
export function toolJson({ definition, source, effect, tier }: ToolSpec): string {
  return withMembers(definition.text, {
    source: JSON.stringify(source),
    effect: JSON.stringify(effect),
    ...(tier !== undefined && { tier: JSON.stringify(tier) }),
  });
}

/** Drops tool search and `call_tool` if no tools are deferred, because clients would not see them. */
export function withoutIdleLeads(tidegate: Tidegate, tools: readonly ToolSpec[]): readonly ToolSpec[] {
  const { exposure } = tidegate.exposure;
  const session = tidegate.localSession('connection');
  const visible = tidegate.gateway.registry.visibleTools(session);
  const isLazy = exposure.show(session, visible, someClient).some(({ reach }) => reach === 'open');
  exposure.forget(session);
  return isLazy ? tools : tools.filter(({ reach }) => reach !== 'open');
}

const someClient: Client = {
  protocol: 'legacy',
  protocolVersion: 'command',
  capabilities: JsonText.from({}),
};
