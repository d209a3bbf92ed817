import { parsePrincipal } from '../access/object-ids.js';
import type { Session } from '../kernel/index.js';
import { AccessRefused, unknownProfile } from './access-refused.js';
import type { OpenedAccess } from './open-access.js';

/** What a sub-agent is given of what its parent has. Left out: all of it, under the same name. */
export interface SubAgentWish {
  /** `agent:helper`. */
  readonly as?: string;
  readonly profile?: string;
  readonly tools?: readonly string[];
  /** False: it begins without the tools that its parent has found. */
  readonly inheritActive?: boolean;
}

export type SubSession = (parent: Session, wish?: SubAgentWish) => Promise<Session>;

/** Sessions of sub-agents in this very process: they can do what every link of their chain can, judged anew each time. */
export function createSubSessions(opened: Pick<OpenedAccess, 'needRights'>): SubSession {
  let count = 0;
  return async (parent, wish = {}) => {
    const [{ attenuate }, { chainOf }, { authority }] = await Promise.all([
      import('../access/identity/index.js'),
      import('../access/authority/index.js'),
      opened.needRights(),
    ]);
    if (wish.profile !== undefined && !authority.policy.names.has(wish.profile)) {
      throw unknownProfile(wish.profile, authority.policy.names);
    }
    const { profile, tools } = wish;
    const from = { principal: parent.principal, chain: chainOf(parent), credential: parent.id };
    const { principal, chain } = attenuate(from, {
      ...(wish.as !== undefined && { principal: readPrincipal(wish.as, parent.principal.zone) }),
      ...(profile !== undefined && { profile }),
      ...(tools !== undefined && { tools }),
    });
    count += 1;
    return {
      id: `${parent.id}.${String(count)}`,
      principal,
      chain,
      scope: parent.scope,
      parentSession: parent.id,
      ...(wish.inheritActive !== undefined && { inheritsActive: wish.inheritActive }),
    };
  };
}

function readPrincipal(text: string, zone: string): Session['principal'] {
  const name = parsePrincipal(text);
  if (name !== undefined) return { ...name, zone };
  throw new AccessRefused(
    'access.bad_principal',
    `"${text}" is not a principal: write kind:id, such as agent:alice.`,
  );
}
