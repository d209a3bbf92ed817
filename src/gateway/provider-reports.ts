import type { Provider, ProviderStatus, Source, ToolSpec } from '../core/index.js';
import type { Catalog, Collision } from './catalog.js';

export interface ProviderReport extends ProviderStatus {
  readonly id: string;
  readonly source: Source;
  readonly tools: number;
  /** Tools and prompts that are not offered because another provider owns the name. */
  readonly dropped?: readonly string[];
}

export function reportsOf(providers: readonly Provider[], catalog: Catalog): readonly ProviderReport[] {
  const clashes = new Map<string, Collision[]>();
  for (const clash of catalog.collisions) {
    const same = clashes.get(clash.second);
    if (same === undefined) clashes.set(clash.second, [clash]);
    else same.push(clash);
  }
  return providers.map((provider) => {
    const { tools } = provider.list();
    const status = provider.status();
    const own = clashes.get(provider.id) ?? [];
    const isDropped = ({ name, source }: ToolSpec): boolean =>
      catalog.contests.tools.get(name)?.later.some(({ spec }) => spec.source === source) === true;
    return {
      id: provider.id,
      source: provider.source,
      tools: own.length === 0 ? tools.length : tools.filter((tool) => !isDropped(tool)).length,
      ...status,
      ...(own.length > 0 && {
        dropped: own.map(({ name }) => name),
        detail: [...(status.detail === undefined ? [] : [status.detail]), describeDropped(own)].join('; '),
      }),
    };
  });
}

const mostNames = 5;

function describeClash({ name, first, looksLike }: Collision): string {
  return looksLike === undefined
    ? `"${name}" belongs to ${first}`
    : `"${name}" looks like "${looksLike}" of ${first}`;
}

/** Why names of one provider are not offered. Plugins get the AWF error code, because users search for it. */
function describeDropped(clashes: readonly Collision[]): string {
  const named = clashes.slice(0, mostNames).map(describeClash);
  const more = clashes.length > mostNames ? `, and ${String(clashes.length - mostNames)} more` : '';
  const isPlugin = clashes[0]?.second.startsWith('plugin:') === true;
  const code = isPlugin ? 'USER.MCP_PROXY.NAME_COLLISION: ' : '';
  const remedy = isPlugin ? 'remove it from `expose` in plugins.yaml' : 'change the prefix of one of them';
  return `${code}not offered: ${named.join(', ')}${more}; ${remedy}`;
}
