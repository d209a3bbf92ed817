import { createToolFilter, type Source, type Spec, type ToolSpec, type VisibleTools } from '../core/index.js';
import { estimateTokens } from './estimate.js';
import type { ExposureSettings } from './settings.js';

/** The tools that give access to all others. Each needs the other. */
export const searchName = 'tool_search';
export const callToolName = 'call_tool';
const waitName = 'wait_for_servers';
export const leadingNames: readonly string[] = [searchName, callToolName, waitName];
const leading: ReadonlySet<string> = new Set(leadingNames);

/** Fewer deferred tools are not worth a search. */
const fewest = 10;

/** What is deferred: `auto` means `all` if that is worth it, otherwise `asked` (servers with `lazy: true`). */
export type Extent = 'all' | 'auto' | 'asked' | 'none';

/** The visible tools of a session, split into listed and deferred. */
export interface Split {
  /** All tools except tool_search and call_tool. The same array if they are not in it. */
  readonly eager: readonly ToolSpec[];
  /** Tools that are never deferred, including tool_search and call_tool. */
  readonly always: readonly ToolSpec[];
  readonly pinned: ReadonlySet<ToolSpec>;
  readonly deferrable: ReadonlyMap<string, ToolSpec>;
  /** Whether tool search is available for them. */
  readonly canSearch: boolean;
  /** Whether the tools of this source are deferred, unless they are pinned. */
  defers(source: Source): boolean;
}

export type Splits = (visible: VisibleTools, extent: Extent) => Split;

/** Splits the visible tools, once per revision of them and extent. */
export function createSplits(settings: ExposureSettings): Splits {
  const known = new WeakMap<VisibleTools, (extent: Extent) => Split>();
  const isPinned = settings.pin.length === 0 ? () => false : createToolFilter(settings.pin);
  return (visible, extent) => {
    let divided = known.get(visible);
    if (divided === undefined) known.set(visible, (divided = divide(visible.list, settings, isPinned)));
    return divided(extent);
  };
}

function divide(
  tools: readonly ToolSpec[],
  settings: ExposureSettings,
  isPinned: (name: string) => boolean,
): (extent: Extent) => Split {
  const leads = new Set(tools.filter(isLeading).map(({ name }) => name));
  const canSearch = leads.has(searchName) && leads.has(callToolName);
  const pinned = new Set(tools.filter((spec) => spec.source !== 'builtin' && isPinned(spec.name)));
  const eager = leads.size === 0 ? tools : tools.filter((spec) => !isLeading(spec));
  const known = new Map<Extent, Split>();
  const make = (extent: Extent): Split => {
    const defers = (source: Source): boolean => isDeferred(source, extent, settings);
    const isOut = (spec: ToolSpec): boolean => !pinned.has(spec) && defers(spec.source);
    return {
      eager,
      pinned,
      always: tools.filter((spec) => !isOut(spec)),
      deferrable: new Map(tools.filter(isOut).map((spec) => [spec.name, spec])),
      canSearch,
      defers,
    };
  };
  const of = (extent: Extent): Split => {
    let split = known.get(extent);
    if (split === undefined) known.set(extent, (split = extent === 'auto' ? worthwhile() : make(extent)));
    return split;
  };
  const worthwhile = (): Split => {
    const deferrable = [...of('all').deferrable.values()];
    const isMuch = deferrable.length >= fewest && isAbove(deferrable, settings.deferAboveTokens);
    return of(isMuch ? 'all' : 'asked');
  };
  return of;
}

/** The server's own `lazy` setting wins, unless nothing is deferred at all. */
function isDeferred(source: Source, extent: Extent, { servers }: ExposureSettings): boolean {
  if (source === 'builtin' || extent === 'none') return false;
  return servers.get(serverOf({ source })) ?? extent === 'all';
}

function isAbove(tools: readonly ToolSpec[], limit: number): boolean {
  let tokens = 0;
  for (const spec of tools) if ((tokens += estimateTokens(spec)) > limit) return true;
  return false;
}

export function isLeading(spec: Spec): boolean {
  return spec.kind === 'tool' && spec.source === 'builtin' && leading.has(spec.name);
}

/** The name of a tool's server or plugin; otherwise its source. */
export function serverOf({ source }: Pick<Spec, 'source'>): string {
  const colon = source.indexOf(':');
  return colon === -1 ? source : source.slice(colon + 1);
}
