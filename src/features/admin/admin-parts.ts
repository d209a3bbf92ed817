import { sha256Of } from '../../lib/sha256.js';
import type { AdminParts } from '../../access/admin/index.js';
import { loadConditions } from '../../access/engine/index.js';
import { formatPrincipal } from '../../access/index.js';
import { describeProblem } from '../../config/index.js';
import type { Gateway } from '../../gateway/index.js';
import { atMost } from '../../lib/at-most.js';
import { nearest } from '../../lib/nearest.js';
import type { Principal } from '../../core/index.js';
import { builtinTools } from '../../workspace/builtin-tools.generated.js';
import { knownCatalogue } from '../../workspace/known-catalogue.js';
import type { OpenedAccess } from '../../workspace/access/open-access.js';

export interface AdminPlace {
  readonly opened: OpenedAccess;
  readonly gateway: Gateway;
  readonly operator: Principal;
  /** How long to wait for servers that have never listed their tools. */
  readonly patienceMs: number;
}

/** The dependencies of the admin service, without the acting principal. */
export async function adminParts(place: AdminPlace): Promise<Omit<AdminParts, 'by'>> {
  const { opened, operator, gateway, patienceMs } = place;
  const { authorizer, policy } = await opened.needRights();
  const { model } = policy;
  return {
    store: await opened.store(),
    zone: authorizer.zone,
    authorizer,
    model,
    conditions: await loadConditions(model),
    modelId: sha256Of(JSON.stringify(model)).slice(0, 16),
    profiles: () => policy.profiles(),
    profileWarnings: (tools) => policy.warnings(tools).map(describeProblem),
    catalogue: async () => knownCatalogue(gateway, operator),
    async wholeCatalogue() {
      await atMost(patienceMs, gateway.registry.listed());
      return knownCatalogue(gateway, operator);
    },
    isBuiltin: (name) => builtinTools.some(({ card }) => card.name === name),
    nearest,
    now: () => Date.now(),
    gather: () => opened.gather(),
    operator: formatPrincipal(operator),
  };
}
