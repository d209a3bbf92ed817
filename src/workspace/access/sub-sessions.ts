import { parsePrincipal } from '../../access/index.js';
import type { Session } from '../../core/index.js';
import { AccessRefused, unknownProfile } from '../access-refused.js';
import type { OpenedAccess } from './open-access.js';

/** The part of the parent's access that a sub-agent gets. Default: all of it, under the same name. */
export interface SubAgentOptions {
  /** `agent:helper`. */
  readonly as?: string;
  readonly profile?: string;
  readonly tools?: readonly string[];
  /** False to start without the parent's active tools. */
  readonly inheritActive?: boolean;
}

export type SubSession = (parent: Session, options?: SubAgentOptions) => Promise<Session>;

/** Sessions of sub-agents in this process. Every delegation in the chain must allow each call. */
export function createSubSessions(opened: Pick<OpenedAccess, 'needRights'>): SubSession {
  let count = 0;
  return async (parent, options = {}) => {
    const [{ attenuate }, { chainOf }, { authorizer }] = await Promise.all([
      import('../../access/tokens/index.js'),
      import('../../access/authorizer/index.js'),
      opened.needRights(),
    ]);
    if (options.profile !== undefined && !authorizer.policy.names.has(options.profile)) {
      throw unknownProfile(options.profile, authorizer.policy.names);
    }
    const { profile, tools } = options;
    const from = { principal: parent.principal, chain: chainOf(parent), credential: parent.id };
    const { principal, chain } = attenuate(from, {
      ...(options.as !== undefined && { principal: readPrincipal(options.as, parent.principal.zone) }),
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
      ...(options.inheritActive !== undefined && { inheritsActive: options.inheritActive }),
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
