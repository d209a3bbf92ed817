import {
  createDesk,
  type Desk,
  DeskError,
  type DeskParts,
  type ExplainOptions,
} from '../../access/admin/index.js';
import type { AdminDesk, DeskOrder, DeskReply } from '../../ports/admin-api.js';
import { readMembers } from '../../workspace/order-members.js';
import { refusalOf } from '../../workspace/admin-refusal.js';
import { actorOf } from './token-operations.js';

type RightsOperations = Omit<AdminDesk['operations'], 'tokens' | 'createToken' | 'revokeToken' | 'surface'>;

/** The admin service for the admin API: the same operations and results as the commands. */
export function createRightsOperations(parts: () => Promise<Omit<DeskParts, 'by'>>): RightsOperations {
  const at =
    (work: (desk: Desk, order: DeskOrder) => Promise<unknown>) =>
    async (order: DeskOrder): Promise<DeskReply> => {
      try {
        const desk = createDesk({
          ...(await parts()),
          by: actorOf(order),
          isStillAllowed: order.isStillAdmin,
        });
        return { value: await work(desk, order) };
      } catch (error) {
        if (error instanceof DeskError) return { refused: refusalOf(error) };
        throw error;
      }
    };
  return {
    profiles: at((desk) => desk.profileList()),
    profile: at((desk, { parameter, query }) => {
      const { resolved = false } = readMembers(query, { resolved: 'flag' });
      return desk.profileShow(parameter, { resolved });
    }),
    principal: at((desk, { parameter }) => desk.profileInspect(parameter)),
    assignProfile: at((desk, { parameter, body }) =>
      desk.profileAssign(parameter, readMembers(body, { profile: 'needed text' }).profile),
    ),
    grant: at((desk, { body }) => {
      const { principal, what, ...options } = readMembers(body, grantMembers);
      return desk.grant(principal, what, options);
    }),
    revoke: at((desk, { body }) => {
      const { principal, what, ...options } = readMembers(body, revokeMembers);
      return desk.revoke(principal, what, options);
    }),
    check: at((desk, { query }) => {
      const { principal, what, ...options } = readAsked(query);
      return desk.check(principal, what, options);
    }),
    explain: at((desk, { query }) => {
      const { principal, what, ...options } = readAsked(query);
      return desk.explain(principal, what, options);
    }),
    exportAccess: at((desk) => desk.exportAll()),
    importAccess: at((desk, { query, body }) =>
      desk.importAll(body, readMembers(query, { replace: 'flag', dryRun: 'flag', force: 'flag' })),
    ),
    testAccess: at((desk, { body }) => desk.test(body)),
    audit: at((desk, { query }) => desk.audit(readMembers(query, auditMembers))),
    pruneAudit: at((desk, { body }) =>
      desk.auditPrune(readMembers(body, { olderThan: 'needed text', dryRun: 'flag' })),
    ),
  };
}

const grantMembers = {
  principal: 'needed text',
  what: 'text',
  until: 'text',
  see: 'flag',
  block: 'flag',
  admin: 'flag',
  force: 'flag',
} as const;
const revokeMembers = {
  principal: 'needed text',
  what: 'text',
  all: 'flag',
  block: 'flag',
  unblock: 'flag',
  admin: 'flag',
} as const;
const askedMembers = {
  principal: 'needed text',
  what: 'needed text',
  action: 'text',
  token: 'text',
  profile: 'text',
} as const;
const auditMembers = {
  principal: 'text',
  denied: 'flag',
  action: 'text',
  limit: 'number',
  before: 'number',
} as const;

interface Asked extends ExplainOptions {
  readonly principal: string;
  readonly what: string;
}

function readAsked(query: DeskOrder['query']): Asked {
  const { action = 'call', ...asked } = readMembers(query, askedMembers);
  if (action === 'see' || action === 'call') return { ...asked, action };
  throw new DeskError('access.bad_request', 'action must be see or call.');
}
