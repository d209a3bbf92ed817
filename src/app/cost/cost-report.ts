import type { Session, SurfaceMode, ToolSpec } from '../../kernel/index.js';
import { createLazySurface } from '../../surface/index.js';
import type { Gateway } from '../../gateway/index.js';
import type { OpenedSurface } from '../open-surface.js';
import { fromWords } from '../from-words.js';
import { clientOf } from '../surface-report.js';
import { type Advice, advise, tellingCalls } from './advise.js';
import type { Amount, ServerSum, ToolCost } from './cost.js';
import { type Counted, type Counter, openCounter } from './count-tokens.js';
import type { RecordedUses } from './recorded-uses.js';

/** What the tools of somebody cost in tokens: all of them listed, deferred, and as it is now. */
export interface CostReport {
  readonly counted: Counted;
  readonly setting: string;
  readonly deferAboveTokens: number;
  readonly mode: SurfaceMode;
  /** The client keeps tools out of its prompt by itself. */
  readonly defersItself: boolean;
  readonly eager: Amount;
  /** `instructions`: what the model is told about the tools that it is not shown; part of the tokens. */
  readonly lazy: Amount & { readonly instructions: number };
  readonly now: Amount;
  /** The dearest first. */
  readonly servers: readonly ServerSum[];
  readonly tools: readonly ToolCost[];
  /** `isTelling`: there are enough of them to say what is never used. */
  readonly uses?: { readonly records: number; readonly since?: string; readonly isTelling: boolean };
  readonly advice: readonly Advice[];
}

export interface CostParts {
  readonly gateway: Gateway;
  readonly opened: OpenedSurface;
  /** Whose tools are looked at. */
  readonly session: Session;
  readonly client?: string;
  readonly isExact: boolean;
  readonly uses: RecordedUses | undefined;
  /** What stands before the names of a server's tools. */
  readonly prefixes: ReadonlyMap<string, string>;
}

export async function costReport(parts: CostParts): Promise<CostReport> {
  const { gateway, opened, uses } = parts;
  const counter = await openCounter(parts.isExact);
  const visible = gateway.visibleTools(parts.session);
  const view = viewsOf(parts, visible, counter);
  const costs = new Map(visible.map((tool) => [tool, counter.tool(tool)]));
  const sum = (tools: readonly ToolSpec[]): Amount => ({
    tools: tools.length,
    tokens: tools.reduce((all, tool) => all + (costs.get(tool) ?? 0), 0),
  });
  const fromOf = fromWords(visible);
  const all = visible.map((tool) => ({
    name: tool.name,
    server: fromOf(tool),
    source: tool.source,
    tokens: costs.get(tool) ?? 0,
    isEager: tool.reach !== 'open',
    isAlwaysListed: view.lazy.has(tool.name),
    isListedNow: view.now.has(tool.name),
    ...(uses && { calls: uses.calls.get(tool.name) ?? 0 }),
  }));
  // The surface's own tools cost nothing where nothing is deferred.
  const tools = all.filter((one) => one.isEager || one.isAlwaysListed || one.isListedNow);
  const lazy = sum(visible.filter(({ name }) => view.lazy.has(name)));
  const facts = {
    counted: counter.counted,
    setting: opened.settings.lazy,
    deferAboveTokens: opened.settings.deferAboveTokens,
    mode: view.mode,
    defersItself: view.defersItself,
    eager: sum(visible.filter(({ reach }) => reach !== 'open')),
    lazy: { ...lazy, tokens: lazy.tokens + view.instructions, instructions: view.instructions },
    now: sum(visible.filter(({ name }) => view.now.has(name))),
    servers: serverSums(tools),
    tools: tools.toSorted((a, b) => b.tokens - a.tokens || (a.name < b.name ? -1 : 1)),
  };
  const about = uses && {
    records: uses.records,
    isTelling: uses.records >= tellingCalls,
    ...(uses.since !== undefined && { since: uses.since }),
  };
  const { settings } = opened;
  const advice = advise({ ...facts, ...(about && { uses: about }), settings, prefixes: parts.prefixes });
  return { ...facts, ...(about && { uses: about }), advice };
}

interface Views {
  /** Names of what stands in the prompt from the beginning when everything that can be is deferred. */
  readonly lazy: ReadonlySet<string>;
  readonly now: ReadonlySet<string>;
  readonly mode: SurfaceMode;
  readonly defersItself: boolean;
  readonly instructions: number;
}

function viewsOf(
  { opened, session, client: name }: CostParts,
  visible: readonly ToolSpec[],
  counter: Counter,
): Views {
  const settings = { ...opened.settings, lazy: 'on', delivery: 'bridge', clients: new Map() } as const;
  const deferring = createLazySurface({ settings, log: () => undefined });
  const client = clientOf(name ?? 'unknown');
  // Nobody's session: looking must not change what is kept of a real one.
  const looking: Session = { ...session, id: `look/${session.id}` };
  const { surface } = opened;
  const shown = surface.show(looking, visible, client);
  const mode = surface.mode(looking, visible);
  const nameless = clientOf('unknown');
  const words = deferring.instructions(looking, visible, nameless) ?? '';
  const views = {
    lazy: new Set(deferring.show(looking, visible, nameless).map((tool) => tool.name)),
    now: new Set(shown.map((tool) => tool.name)),
    mode,
    defersItself: mode === 'eager' && surface.defersItself(looking, visible, client),
    instructions: words === '' ? 0 : counter.text(words),
  };
  surface.forget(looking);
  return views;
}

function serverSums(tools: readonly ToolCost[]): readonly ServerSum[] {
  const own = new Map<string, ToolCost[]>();
  for (const tool of tools) own.set(tool.server, [...(own.get(tool.server) ?? []), tool]);
  const sum = (all: readonly ToolCost[]): number => all.reduce((total, { tokens }) => total + tokens, 0);
  return [...own]
    .map(([server, all]) => ({
      server,
      source: all[0]?.source ?? server,
      tools: all.length,
      eager: sum(all.filter(({ isEager }) => isEager)),
      lazy: sum(all.filter(({ isAlwaysListed }) => isAlwaysListed)),
      ...(all[0]?.calls !== undefined && { calls: all.reduce((n, { calls = 0 }) => n + calls, 0) }),
    }))
    .sort((a, b) => b.eager - a.eager || (a.server < b.server ? -1 : 1));
}
