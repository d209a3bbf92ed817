import { DeskError } from '../access/desk/index.js';
import type { AdminDesk, DeskOrder, DeskReply } from '../wire/http.js';
import type { Gateway } from '../gateway/index.js';
import type { OpenedSurface } from './open-surface.js';
import { readMembers } from './order-members.js';
import { refusalOf } from './rights-operations.js';

/** `GET /api/surface`: the surface as whoever asks would see it, and every session of this gate. */
export function createSurfaceOperation(parts: {
  readonly gateway: Gateway;
  readonly surface: OpenedSurface;
}): AdminDesk['operations']['surface'] {
  async function report({ by, query }: DeskOrder): Promise<DeskReply> {
    const { client, exact = false } = readMembers(query, { client: 'text', exact: 'flag' });
    const { principal, chain, credential } = by;
    const session = { id: `surface/${credential}`, principal, chain, scope: 'credential' } as const;
    await parts.gateway.settle(session);
    const { surfaceReport } = await import('./surface-report.js');
    const value = await surfaceReport({
      gateway: parts.gateway,
      opened: parts.surface,
      session,
      isExact: exact,
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
