import {
  type Call,
  type Catalogue,
  createFault,
  clientAdditions,
  emptyCatalogue,
  type Exchange,
  faulted,
  type Outcome,
  type Parsed,
  type Provider,
  type ProviderStatus,
  type Source,
  type Target,
  type ToolCard,
  type ToolSpec,
} from '../../core/index.js';
import { decodeArguments } from '../../lib/decode-arguments.js';
import { JsonText } from '../../lib/json-text.js';
import type { PortServices } from '../../ports/tool-ports.js';
import type { ToolModule } from '../../ports/tool-module.js';
import { createArgumentCheck } from './check-arguments.js';
import { runTool, wrongInput } from './run-tool.js';

/** A tool that runs in this process. Its card is known; its code is loaded on the first call. */
export interface LocalTool {
  readonly card: ToolCard;
  load(): Promise<ToolModule>;
}

export interface LocalProviderParts {
  readonly id: string;
  readonly source: Source;
  readonly tools: readonly LocalTool[];
  readonly services: PortServices;
}

export interface LocalProvider extends Provider {
  /** Replaces the tools; `detail` tells the operator which ones are missing. */
  offer(tools: readonly LocalTool[], detail?: string): void;
}

interface Entry {
  readonly tool: LocalTool;
  readonly card: ToolCard;
  readonly check: (value: unknown) => readonly string[];
}

/** Creates a provider for tools that run in this process. */
export function createLocalProvider(parts: LocalProviderParts): LocalProvider {
  const { id, source } = parts;
  const listeners = new Set<() => void>();
  let entries = entriesOf(id, parts.tools);
  let catalogue = catalogueOf(entries, source);
  let status: ProviderStatus = { state: 'ready', restarts: 0 };

  function parse(target: Target, params: JsonText): Parsed {
    const { arguments: given } = params.value as { readonly arguments?: unknown };
    const entry = target.kind === 'tool' ? entries.get(target.spec.localName) : undefined;
    if (entry === undefined) return { ok: true, input: given };
    const { input, unknown } = decodeArguments(given, entry.card, clientAdditions);
    const refused = changesThings(entry.card) ? unknown.map((name) => `unknown argument ${name}`) : [];
    const problems = [...refused, ...problemsOf(entry, input)];
    if (problems.length === 0) return { ok: true, input, ...(unknown.length > 0 && { ignored: unknown }) };
    const { data, ...fault } = wrongInput(entry.card.name, problems);
    return { ok: false, fault: { ...fault, data: { ...data, inputSchema: entry.card.inputSchema } } };
  }

  async function call(admitted: Call, exchange: Exchange): Promise<Outcome> {
    const entry = admitted.target.kind === 'tool' ? entries.get(admitted.target.spec.localName) : undefined;
    // It was removed after the call was admitted.
    if (entry === undefined) return faulted(createFault('provider.lost', 'This tool was just removed.'));
    return runTool(() => entry.tool.load(), admitted, exchange, parts.services);
  }

  return {
    id,
    source,
    status: () => status,
    list: () => catalogue,
    ready: () => Promise.resolve(),
    parse,
    call,
    mayHave: () => false,
    watch: () => Promise.resolve(() => {}),
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: () => Promise.resolve(),
    offer(tools, detail) {
      entries = entriesOf(id, tools);
      catalogue = catalogueOf(entries, source);
      status = { state: 'ready', restarts: 0, ...(detail !== undefined && { detail }) };
      for (const listener of [...listeners]) listener();
    },
  };
}

function problemsOf({ check }: Entry, input: unknown): readonly string[] {
  try {
    return check(input);
  } catch (error) {
    // The validator overflows the stack when tens of thousands of values are invalid.
    if (error instanceof RangeError) return ['they contain too many errors, or are nested too deeply'];
    throw error;
  }
}

/** Whether unknown arguments must be refused: ignoring a misspelled `dry_run` would be dangerous. */
function changesThings({ effect }: ToolCard): boolean {
  return effect === 'write' || effect === 'execute';
}

function entriesOf(id: string, tools: readonly LocalTool[]): ReadonlyMap<string, Entry> {
  const entries = new Map<string, Entry>();
  for (const tool of tools) {
    const { name, inputSchema } = tool.card;
    if (entries.has(name)) throw new Error(`${id}: duplicate tool name ${name}`);
    entries.set(name, { tool, card: tool.card, check: createArgumentCheck(inputSchema) });
  }
  return entries;
}

function catalogueOf(entries: ReadonlyMap<string, Entry>, source: Source): Catalogue {
  return { ...emptyCatalogue, tools: [...entries.values()].map(({ card }) => specOf(card, source)) };
}

function specOf(card: ToolCard, source: Source): ToolSpec {
  const { name, title, description, inputSchema, outputSchema, hints, graph } = card;
  const { effect, needs, optional, tier, aliases, reach } = card;
  const annotations = {
    title,
    readOnlyHint: hints.readOnly,
    destructiveHint: hints.destructive,
    idempotentHint: hints.idempotent,
    openWorldHint: hints.openWorld,
  };
  const shown = { name, title, description, inputSchema, ...(outputSchema && { outputSchema }), annotations };
  return {
    kind: 'tool',
    name,
    localName: name,
    source,
    effect,
    hints,
    needs,
    optional,
    tier,
    aliases,
    ...(graph && { graph }),
    // Only built-in tools may extend access beyond grants.
    ...(reach && source === 'builtin' && { reach }),
    definition: JsonText.from(shown),
  };
}
