import type { Provider, ProviderStatus, Source } from '../kernel/index.js';
import type { Catalog, Collision } from './catalog.js';

export interface ProviderReport extends ProviderStatus {
  readonly id: string;
  readonly source: Source;
  readonly tools: number;
}

export function reportsOf(providers: readonly Provider[], catalog: Catalog): readonly ProviderReport[] {
  return providers.map((provider) => ({
    id: provider.id,
    source: provider.source,
    tools: provider.list().tools.length,
    ...provider.status(),
    ...collisionStatus(catalog, provider),
  }));
}

function collisionStatus(
  catalog: Catalog,
  provider: Provider,
): { state: 'failed'; detail: string } | undefined {
  const clash = catalog.collisions.find(({ second }) => second === provider.id);
  return clash && { state: 'failed', detail: collisionDetail(clash) };
}

/** In plugins it has the code that AWF gives it, because people look for that. */
function collisionDetail({ first, second, name }: Collision): string {
  const both = `${first} and ${second} both offer "${name}"`;
  return second.startsWith('plugin:')
    ? `USER.MCP_PROXY.NAME_COLLISION: ${both}: leave it out of \`expose\` in plugins.yaml`
    : `${both}: give one of them another prefix`;
}
