import { DeskError } from '../../access/admin/index.js';
import type { AdminDesk, DeskOrder, DeskReply } from '../../ports/admin-api.js';
import type { Gateway } from '../../gateway/index.js';
import type { OpenedSurface } from '../../workspace/open-exposure.js';
import { readMembers } from '../../workspace/order-members.js';
import { refusalOf } from '../../workspace/admin-refusal.js';
import type { LiveParts } from './context-session.js';

/** `GET /api/surface`: the tools that the caller would see, and all sessions of this gateway and of `tidegate mcp`. */
export function createSurfaceOperation(parts: {
  readonly gateway: Gateway;
  readonly surface: OpenedSurface;
  readonly live: LiveParts;
}): AdminDesk['operations']['surface'] {
  async function report({ by, query }: DeskOrder): Promise<DeskReply> {
    const { client, exact = false } = readMembers(query, { client: 'text', exact: 'flag' });
    const { principal, chain, credential } = by;
    const session = { id: `surface/${credential}`, principal, chain, scope: 'credential' } as const;
    await parts.gateway.settle(session);
    const { surfaceReport } = await import('./context-report.js');
    const value = await surfaceReport({
      gateway: parts.gateway,
      opened: parts.surface,
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
      if (error instanceof DeskError) return { refused: refusalOf(error) };
      throw error;
    }
  };
}
