import { createAdminService, type AdminService, AdminError } from '../../access/admin/index.js';
import { formatPrincipal } from '../../access/index.js';
import { adminParts } from './admin-parts.js';
import type { OpenTidegate, Tidegate, TidegateOptions } from '../../workspace/tidegate.js';

export interface OpenAdmin {
  readonly service: AdminService;
  readonly tidegate: Tidegate;
  close(): Promise<void>;
}

export interface AdminOptions extends Omit<TidegateOptions, 'mode' | 'as' | 'profile' | 'withRights'> {
  /** False if the store is not needed. */
  readonly needsStore?: boolean;
}

/** A command can wait longer than an agent. */
const patienceMs = 30_000;

/** Opens the admin service. It works on the store directly: no running gateway is needed, and no server is started. */
export async function openAdminService(
  openTidegate: OpenTidegate,
  { needsStore = true, ...options }: AdminOptions,
): Promise<OpenAdmin> {
  const tidegate = await openTidegate({ ...options, mode: 'command', withRights: true });
  try {
    const { access: opened, gateway, config } = tidegate;
    if (needsStore && config.store.kind === 'memory') throw inMemory();
    const operator = opened.local.principal;
    const parts = await adminParts({ opened, gateway, operator, patienceMs });
    const service = createAdminService({ ...parts, by: { principal: formatPrincipal(operator) } });
    return { service, tidegate, close: () => tidegate.close() };
  } catch (error) {
    await tidegate.close();
    throw error;
  }
}

function inMemory(): AdminError {
  const message =
    'The store is in memory (store.kind: memory), so only the running gateway has these access rules.';
  return new AdminError('access.store_in_memory', message);
}
