import {
  createAdminService,
  type AdminService,
  AdminError,
  type AdminParts,
  type ExplainOptions,
} from '../../access/admin/index.js';
import type { AdminApi, AdminRequest, AdminReply } from '../../ports/admin-api.js';
import { readMembers } from '../../workspace/order-members.js';
import { refusalOf } from '../../workspace/admin-refusal.js';
import { actorOf } from './token-operations.js';

type RightsOperations = Omit<AdminApi['operations'], 'tokens' | 'createToken' | 'revokeToken' | 'context'>;

/** The admin service for the admin API: the same operations and results as the commands. */
export function createRightsOperations(parts: () => Promise<Omit<AdminParts, 'by'>>): RightsOperations {
  const at =
    (work: (service: AdminService, order: AdminRequest) => Promise<unknown>) =>
    async (order: AdminRequest): Promise<AdminReply> => {
      try {
        const service = createAdminService({
          ...(await parts()),
          by: actorOf(order),
          isStillAllowed: order.isStillAdmin,
        });
        return { value: await work(service, order) };
      } catch (error) {
        if (error instanceof AdminError) return { refused: refusalOf(error) };
        throw error;
      }
    };
  return {
    profiles: at((service) => service.profileList()),
    profile: at((service, { parameter, query }) => {
      const { resolved = false } = readMembers(query, { resolved: 'flag' });
      return service.profileShow(parameter, { resolved });
    }),
    principal: at((service, { parameter }) => service.profileInspect(parameter)),
    assignProfile: at((service, { parameter, body }) =>
      service.profileAssign(parameter, readMembers(body, { profile: 'needed text' }).profile),
    ),
    grant: at((service, { body }) => {
      const { principal, what, ...options } = readMembers(body, grantMembers);
      return service.grant(principal, what, options);
    }),
    revoke: at((service, { body }) => {
      const { principal, what, ...options } = readMembers(body, revokeMembers);
      return service.revoke(principal, what, options);
    }),
    check: at((service, { query }) => {
      const { principal, what, ...options } = readAsked(query);
      return service.check(principal, what, options);
    }),
    explain: at((service, { query }) => {
      const { principal, what, ...options } = readAsked(query);
      return service.explain(principal, what, options);
    }),
    exportAccess: at((service) => service.exportAll()),
    importAccess: at((service, { query, body }) =>
      service.importAll(body, readMembers(query, { replace: 'flag', dryRun: 'flag', force: 'flag' })),
    ),
    testAccess: at((service, { body }) => service.test(body)),
    audit: at((service, { query }) => service.audit(readMembers(query, auditMembers))),
    pruneAudit: at((service, { body }) =>
      service.auditPrune(readMembers(body, { olderThan: 'needed text', dryRun: 'flag' })),
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

function readAsked(query: AdminRequest['query']): Asked {
  const { action = 'call', ...asked } = readMembers(query, askedMembers);
  if (action === 'see' || action === 'call') return { ...asked, action };
  throw new AdminError('access.bad_request', 'action must be see or call.');
}
