import type { Provider, ProviderStatus, Source } from '../kernel/index.js';
import type { Catalog } from './catalog.js';

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
  return (
    clash && {
      state: 'failed',
      detail: `${clash.first} and ${clash.second} both offer "${clash.name}": give one of them another prefix`,
    }
  );
}
