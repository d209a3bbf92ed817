import { createDesk, type Desk, DeskError } from '../../access/admin/index.js';
import { formatPrincipal } from '../../access/index.js';
import { deskParts } from './admin-parts.js';
import type { OpenTidegate, Tidegate, TidegateOptions } from '../../workspace/tidegate.js';

export interface OpenDesk {
  readonly desk: Desk;
  readonly tidegate: Tidegate;
  close(): Promise<void>;
}

export interface DeskOptions extends Omit<TidegateOptions, 'mode' | 'as' | 'profile' | 'withRights'> {
  /** False if the store is not needed. */
  readonly needsStore?: boolean;
}

/** A command can wait longer than an agent. */
const patienceMs = 30_000;

/** Opens the admin service. It works on the store directly: no running gateway is needed, and no server is started. */
export async function openDesk(
  openTidegate: OpenTidegate,
  { needsStore = true, ...options }: DeskOptions,
): Promise<OpenDesk> {
  const tidegate = await openTidegate({ ...options, mode: 'command', withRights: true });
  try {
    const { access: opened, gateway, config } = tidegate;
    if (needsStore && config.store.kind === 'memory') throw inMemory();
    const operator = opened.local.principal;
    const parts = await deskParts({ opened, gateway, operator, patienceMs });
    const desk = createDesk({ ...parts, by: { principal: formatPrincipal(operator) } });
    return { desk, tidegate, close: () => tidegate.close() };
  } catch (error) {
    await tidegate.close();
    throw error;
  }
}

function inMemory(): DeskError {
  const message =
    'The store is in memory (store.kind: memory): only the serving process has these access rules.';
  return new DeskError('access.store_in_memory', message);
}
