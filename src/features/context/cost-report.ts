import type { Session, ToolSpec, VisibleTools } from '../../core/index.js';
import type { ExposureMode } from '../../ports/catalog.js';
import { createLazyExposure } from '../../exposure/index.js';
import type { Gateway } from '../../gateway/index.js';
import type { OpenedExposure } from '../../workspace/open-exposure.js';
import { fromWords } from '../../exposure/from-words.js';
import { clientOf } from './context-report.js';
import { type Advice, advise, tellingCalls } from './advise.js';
import type { Amount, ServerSum, ToolCost } from './cost.js';
import { type Counted, type Counter, openCounter } from '../../exposure/count-tokens.js';
import type { RecordedUses } from './recorded-uses.js';

/** The token cost of a principal's tools: all listed, deferred, and as configured now. */
export interface CostReport {
  readonly counted: Counted;
  readonly setting: string;
  readonly deferAboveTokens: number;
  readonly mode: ExposureMode;
  /** The client defers tools itself. */
  readonly defersItself: boolean;
  readonly eager: Amount;
  /** `instructions`: tokens of the text about deferred tools; included in `tokens`. */
  readonly lazy: Amount & { readonly instructions: number };
  readonly now: Amount;
  /** Most expensive first. */
  readonly servers: readonly ServerSum[];
  readonly tools: readonly ToolCost[];
  /** `isTelling`: enough records to say which tools are never used. */
  readonly uses?: { readonly records: number; readonly since?: string; readonly isTelling: boolean };
  readonly advice: readonly Advice[];
}

export interface CostParts {
  readonly gateway: Gateway;
  readonly opened: OpenedExposure;
  /** The session whose tools are counted. */
  readonly session: Session;
  readonly client?: string;
  readonly isExact: boolean;
  readonly uses: RecordedUses | undefined;
  /** Tool name prefix of each server. */
  readonly prefixes: ReadonlyMap<string, string>;
}

export async function costReport(parts: CostParts): Promise<CostReport> {
  const { gateway, opened, uses } = parts;
  const counter = await openCounter(parts.isExact);
  const visible = gateway.registry.visibleTools(parts.session);
  const view = viewsOf(parts, visible, counter);
  const { list } = visible;
  const costs = new Map(list.map((tool) => [tool, counter.tool(tool)]));
  const sum = (tools: readonly ToolSpec[]): Amount => ({
    tools: tools.length,
    tokens: tools.reduce((all, tool) => all + (costs.get(tool) ?? 0), 0),
  });
  const fromOf = fromWords(list);
  const all = list.map((tool) => ({
    name: tool.name,
    server: fromOf(tool),
    source: tool.source,
    tokens: costs.get(tool) ?? 0,
    isEager: tool.reach !== 'open',
    isAlwaysListed: view.lazy.has(tool.name),
    isListedNow: view.now.has(tool.name),
    ...(uses && { calls: uses.calls.get(tool.name) ?? 0 }),
  }));
  // Tool search and `call_tool` cost nothing if no tools are deferred.
  const tools = all.filter((one) => one.isEager || one.isAlwaysListed || one.isListedNow);
  const lazy = sum(list.filter(({ name }) => view.lazy.has(name)));
  const facts = {
    counted: counter.counted,
    setting: opened.settings.lazy,
    deferAboveTokens: opened.settings.deferAboveTokens,
    mode: view.mode,
    defersItself: view.defersItself,
    eager: sum(list.filter(({ reach }) => reach !== 'open')),
    lazy: { ...lazy, tokens: lazy.tokens + view.instructions, instructions: view.instructions },
    now: sum(list.filter(({ name }) => view.now.has(name))),
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
  /** Tools in the prompt from the start when everything possible is deferred. */
  readonly lazy: ReadonlySet<string>;
  readonly now: ReadonlySet<string>;
  readonly mode: ExposureMode;
  readonly defersItself: boolean;
  readonly instructions: number;
}

function viewsOf(
  { opened, session, client: name }: CostParts,
  visible: VisibleTools,
  counter: Counter,
): Views {
  const settings = { ...opened.settings, lazy: 'on', delivery: 'call_tool', clients: new Map() } as const;
  const deferring = createLazyExposure({ settings, log: () => undefined });
  const client = clientOf(name ?? 'unknown');
  // A separate session id, so that the report does not change the state of a real session.
  const looking: Session = { ...session, id: `look/${session.id}` };
  const { exposure } = opened;
  const shown = exposure.show(looking, visible, client);
  const mode = exposure.mode(looking, visible);
  const nameless = clientOf('unknown');
  const words = deferring.instructions(looking, visible, nameless) ?? '';
  const views = {
    lazy: new Set(deferring.show(looking, visible, nameless).map((tool) => tool.name)),
    now: new Set(shown.map((tool) => tool.name)),
    mode,
    defersItself: mode === 'eager' && exposure.defersItself(looking, visible, client),
    instructions: words === '' ? 0 : counter.text(words),
  };
  exposure.forget(looking);
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
