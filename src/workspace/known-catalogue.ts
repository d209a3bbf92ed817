import type { AdminCatalog } from '../access/admin/index.js';
import type { Gateway } from '../gateway/index.js';
import type { Principal, Session, Spec } from '../core/index.js';

const kinds = ['prompts', 'resources', 'templates'] as const;

/** Everything known so far; starts no servers. */
export function knownCatalogue(gateway: Gateway, principal: Principal): AdminCatalog {
  const chain = [{ principal, rights: 'all' }] as const;
  const session: Session = { id: 'admin', principal, chain, scope: 'connection' };
  // Includes tools that are only available by name.
  const others = kinds.flatMap((kind): readonly Spec[] => gateway.registry.list(session, kind));
  const specs = [...gateway.registry.everyTool(), ...others];
  const known = new Set(specs.map(({ source }) => source));
  const unlisted = gateway.registry
    .status()
    .filter(({ source, state }) => !known.has(source) && state !== 'untrusted' && state !== 'disabled')
    .map(({ source }) => source)
    .filter((source) => source.startsWith('server:'));
  return { specs, unlisted };
}
