import { parsePrincipal } from '../../access/index.js';
import type { Session } from '../../core/index.js';
import { AccessRefused, unknownProfile } from '../access-refused.js';
import type { OpenedAccess } from './open-access.js';

/** The part of the parent's access that a sub-agent gets. Default: all of it, under the same name. */
export interface SubAgentWish {
  /** `agent:helper`. */
  readonly as?: string;
  readonly profile?: string;
  readonly tools?: readonly string[];
  /** False to start without the parent's active tools. */
  readonly inheritActive?: boolean;
}

export type SubSession = (parent: Session, wish?: SubAgentWish) => Promise<Session>;

/** Sessions of sub-agents in this process. Every delegation in the chain must allow each call. */
export function createSubSessions(opened: Pick<OpenedAccess, 'needRights'>): SubSession {
  let count = 0;
  return async (parent, wish = {}) => {
    const [{ attenuate }, { chainOf }, { authority }] = await Promise.all([
      import('../../access/tokens/index.js'),
      import('../../access/authorizer/index.js'),
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
    `"${text}" is not a valid principal. Use kind:id, such as agent:alice.`,
  );
}
