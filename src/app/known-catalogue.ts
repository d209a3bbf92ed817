import type { DeskCatalogue } from '../access/desk/index.js';
import type { Gateway } from '../gateway/index.js';
import type { Principal, Session, Spec } from '../kernel/index.js';

const kinds = ['prompts', 'resources', 'templates'] as const;

/** Everything that is known now: nothing is started for it. */
export function knownCatalogue(gateway: Gateway, principal: Principal): DeskCatalogue {
  const chain = [{ principal, rights: 'all' }] as const;
  const session: Session = { id: 'desk', principal, chain, scope: 'connection' };
  // Also what must be named to be there: whoever names it must find it.
  const others = kinds.flatMap((kind): readonly Spec[] => gateway.list(session, kind));
  const specs = [...gateway.everyTool(), ...others];
  const known = new Set(specs.map(({ source }) => source));
  const unlisted = gateway
    .status()
    .filter(({ source, state }) => !known.has(source) && state !== 'untrusted' && state !== 'disabled')
    .map(({ source }) => source)
    .filter((source) => source.startsWith('server:'));
  return { specs, unlisted };
}
