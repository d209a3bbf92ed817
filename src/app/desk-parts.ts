import { createHash } from 'node:crypto';
import type { DeskCatalogue, DeskParts } from '../access/desk/index.js';
import { loadConditions } from '../access/engine/index.js';
import { formatPrincipal } from '../access/object-ids.js';
import type { Gateway } from '../gateway/index.js';
import { atMost, nearest, type Principal, type Session } from '../kernel/index.js';
import { builtinTools } from './builtin-tools.generated.js';
import type { OpenedAccess } from './open-access.js';

export interface DeskPlace {
  readonly opened: OpenedAccess;
  readonly gateway: Gateway;
  readonly operator: Principal;
  /** How long servers that never listed are waited for. */
  readonly patienceMs: number;
}

const kinds = ['tools', 'prompts', 'resources', 'templates'] as const;

/** What the operator's desk works with at this gate; all but who is at it. */
export async function deskParts(place: DeskPlace): Promise<Omit<DeskParts, 'by'>> {
  const { opened, operator, gateway, patienceMs } = place;
  const { authority, policy } = await opened.needRights();
  const { model } = policy;
  return {
    store: await opened.store(),
    zone: authority.zone,
    authority,
    model,
    conditions: await loadConditions(model),
    modelId: createHash('sha256').update(JSON.stringify(model)).digest('hex').slice(0, 16),
    profiles: () => policy.profiles(),
    catalogue: async () => catalogueOf(gateway, operator),
    async wholeCatalogue() {
      await atMost(patienceMs, gateway.listed());
      return catalogueOf(gateway, operator);
    },
    isBuiltin: (name) => builtinTools.some(({ card }) => card.name === name),
    nearest,
    now: () => Date.now(),
    operator: formatPrincipal(operator),
  };
}

/** Everything that is known now: nothing is started for it. */
function catalogueOf(gateway: Gateway, principal: Principal): DeskCatalogue {
  const chain = [{ principal, rights: 'all' }] as const;
  const session: Session = { id: 'desk', principal, chain, scope: 'connection' };
  const specs = kinds.flatMap((kind) => [...gateway.list(session, kind)]);
  const known = new Set(specs.map(({ source }) => source));
  const unlisted = gateway
    .status()
    .filter(({ source, state }) => !known.has(source) && state !== 'untrusted' && state !== 'disabled')
    .map(({ source }) => source)
    .filter((source) => source.startsWith('server:'));
  return { specs, unlisted };
}
