import { AdminError } from '../../access/admin/index.js';
import type { AdminApi, AdminRequest, AdminReply } from '../../ports/admin-api.js';
import type { Gateway } from '../../gateway/index.js';
import type { OpenedExposure } from '../../workspace/open-exposure.js';
import { readMembers } from '../../workspace/order-members.js';
import { refusalOf } from '../../workspace/admin-refusal.js';
import type { LiveParts } from './context-session.js';

/** `GET /api/context`: the tools that the caller would see, and all sessions of this gateway and of `tidegate mcp`. */
export function createContextOperation(parts: {
  readonly gateway: Gateway;
  readonly exposure: OpenedExposure;
  readonly live: LiveParts;
}): AdminApi['operations']['context'] {
  async function report({ by, query }: AdminRequest): Promise<AdminReply> {
    const { client, exact = false } = readMembers(query, { client: 'text', exact: 'flag' });
    const { principal, chain, credential } = by;
    const session = { id: `context/${credential}`, principal, chain, scope: 'credential' } as const;
    await parts.gateway.registry.settle(session);
    const { contextReport } = await import('./context-report.js');
    const value = await contextReport({
      gateway: parts.gateway,
      opened: parts.exposure,
      session,
      isExact: exact,
      live: parts.live,
      ...(client !== undefined && { client }),
    });
    return { value };
  }

  return async (order) => {
    try {
      return await report(order);
    } catch (error) {
      if (error instanceof AdminError) return { refused: refusalOf(error) };
      throw error;
    }
  };
}
