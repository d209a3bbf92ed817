import {
  type Call,
  type Catalogue,
  content,
  emptyCatalogue,
  type Exchange,
  type Outcome,
  type Provider,
  type ToolSpec,
} from '../core/index.js';
import { JsonText } from '../lib/json-text.js';

export type FakeHandler = (call: Call, exchange: Exchange) => Outcome | Promise<Outcome>;

export interface FakeProvider extends Provider {
  /** Every call that reached this provider. */
  readonly calls: Call[];
  /** Replaces all tools, like a server that sends list_changed. */
  offer(tools: Readonly<Record<string, FakeHandler>>): void;
}

/** A provider whose tools are functions of the test. */
export function createFakeProvider(
  id: string,
  tools: Readonly<Record<string, FakeHandler>>,
  more: Partial<Catalogue> = {},
): FakeProvider {
  const listeners = new Set<() => void>();
  const calls: Call[] = [];
  let offered = tools;
  return {
    id,
    calls,
    source: `server:${id}`,
    status: () => ({ state: 'ready', restarts: 0 }),
    list: () => ({
      ...emptyCatalogue,
      ...more,
      tools: Object.keys(offered).map((name) => fakeTool(id, name)),
    }),
    ready: () => Promise.resolve(),
    parse: (_target, params) => ({ ok: true, input: params.value }),
    async call(call, exchange) {
      calls.push(call);
      const handler = call.target.kind === 'tool' ? offered[call.target.spec.name] : undefined;
      return handler ? await handler(call, exchange) : content(JsonText.from({ content: [] }));
    },
    mayHave: () => false,
    watch: () => Promise.resolve(() => {}),
    onChange(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => Promise.resolve(),
    offer(next) {
      offered = next;
      for (const listener of listeners) listener();
    },
  };
}

function fakeTool(id: string, name: string): ToolSpec {
  return {
    kind: 'tool',
    name,
    localName: name,
    source: `server:${id}`,
    effect: 'execute',
    hints: {},
    definition: JsonText.from({ name, description: `Fake ${name}`, inputSchema: { type: 'object' } }),
  };
}
