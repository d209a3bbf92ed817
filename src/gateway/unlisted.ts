import { emptyObject } from '../lib/json-text.js';
import type { Provider, ResourceSpec, Spec } from '../core/index.js';
import type { Offered } from './offered.js';

/** Returns the offer if the caller may use it. */
export type Usable = <S extends Spec>(
  offered: Offered<S> | undefined,
  kind: S['kind'],
) => Offered<S> | undefined;

/** An unlisted URI goes to a provider only if exactly one visible provider may know it. */
export function unlisted(
  providers: readonly Provider[],
  uri: string,
  usable: Usable,
): Offered<ResourceSpec> | undefined {
  const able = providers
    .filter((provider) => provider.mayHave(uri))
    .flatMap((provider): readonly Offered<ResourceSpec>[] => {
      const spec = { kind: 'resource', uri, source: provider.source, definition: emptyObject } as const;
      const offered = usable({ provider, spec }, 'resource');
      return offered === undefined ? [] : [offered];
    });
  return able.length === 1 ? able[0] : undefined;
}
