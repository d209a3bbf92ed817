import { createToolFilter, type Spec, type ToolSpec } from '../kernel/index.js';
import { estimateTokens } from './estimate.js';
import type { SurfaceSettings } from './settings.js';

/** The tools that lead to all others. Neither is of use without the other. */
export const searchName = 'tool_search';
export const bridgeName = 'call_tool';
const waitName = 'wait_for_servers';
export const leadingNames: readonly string[] = [searchName, bridgeName, waitName];
const leading: ReadonlySet<string> = new Set(leadingNames);

/** Fewer than this are not worth a search. */
const fewest = 10;

/** What a session can see, divided by what may be deferred of it. */
export interface Split {
  /** All of it but what leads to deferred tools. The very same list where there is nothing of the kind. */
  readonly eager: readonly Spec[];
  /** What is shown even when everything else is deferred, with what leads there. */
  readonly always: readonly ToolSpec[];
  readonly pinned: ReadonlySet<ToolSpec>;
  readonly deferrable: ReadonlyMap<string, ToolSpec>;
  /** Whether somebody to whom the others are not shown could find them. */
  readonly canSearch: boolean;
  /** Whether there is enough to be worth it. */
  isWorthIt(lazy: SurfaceSettings['lazy']): boolean;
}

/** Divides lists, each once. */
export function createSplits(settings: SurfaceSettings): (visible: readonly Spec[]) => Split {
  const known = new WeakMap<readonly Spec[], Split>();
  const isPinned = settings.pin.length === 0 ? () => false : createToolFilter(settings.pin);
  return (visible) => {
    let split = known.get(visible);
    if (split === undefined) known.set(visible, (split = divide(visible, settings, isPinned)));
    return split;
  };
}

function divide(
  visible: readonly Spec[],
  settings: SurfaceSettings,
  isPinned: (name: string) => boolean,
): Split {
  const tools = visible.filter((spec) => spec.kind === 'tool');
  const leads = new Set(tools.filter(isLeading).map(({ name }) => name));
  const pinned = new Set(tools.filter((spec) => spec.source !== 'builtin' && isPinned(spec.name)));
  const isDeferrable = (spec: ToolSpec): boolean =>
    spec.source !== 'builtin' && !pinned.has(spec) && settings.servers.get(serverOf(spec)) !== false;
  const deferrable = tools.filter(isDeferrable);
  return {
    eager: leads.size === 0 ? visible : visible.filter((spec) => !isLeading(spec)),
    always: tools.filter((spec) => !isDeferrable(spec)),
    pinned,
    deferrable: new Map(deferrable.map((spec) => [spec.name, spec])),
    canSearch: leads.has(searchName) && leads.has(bridgeName),
    isWorthIt: createWorth(deferrable, settings),
  };
}

function createWorth(deferrable: readonly ToolSpec[], settings: SurfaceSettings): Split['isWorthIt'] {
  let isMuch: boolean | undefined;
  const asked = deferrable.some((spec) => settings.servers.get(serverOf(spec)) === true);
  return (lazy) => {
    if (lazy === 'off' || deferrable.length === 0) return false;
    if (lazy === 'on' || asked) return true;
    isMuch ??= deferrable.length >= fewest && isAbove(deferrable, settings.deferAboveTokens);
    return isMuch;
  };
}

function isAbove(tools: readonly ToolSpec[], limit: number): boolean {
  let tokens = 0;
  for (const spec of tools) if ((tokens += estimateTokens(spec)) > limit) return true;
  return false;
}

export function isLeading(spec: Spec): boolean {
  return spec.kind === 'tool' && spec.source === 'builtin' && leading.has(spec.name);
}

/** The server or plugin of a tool by its name; for others where they come from. */
export function serverOf({ source }: Pick<Spec, 'source'>): string {
  const colon = source.indexOf(':');
  return colon === -1 ? source : source.slice(colon + 1);
}
