import { createDesk, type Desk, DeskError } from '../access/desk/index.js';
import { formatPrincipal } from '../access/object-ids.js';
import { deskParts } from './desk-parts.js';
import { openTidegate } from './open-tidegate.js';
import type { Tidegate, TidegateOptions } from './tidegate.js';

export interface OpenDesk {
  readonly desk: Desk;
  readonly tidegate: Tidegate;
  close(): Promise<void>;
}

export interface DeskOptions extends Omit<TidegateOptions, 'mode' | 'as' | 'profile' | 'withRights'> {
  /** False where nothing that is stored is needed. */
  readonly needsStore?: boolean;
}

/** A command has time where an agent has none. */
const patienceMs = 30_000;

/** The operator's desk of this place. It works on the store itself, so that no gate has to run; no server is started. */
export async function openDesk({ needsStore = true, ...options }: DeskOptions): Promise<OpenDesk> {
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
  const message = 'The rights of this gate are in the memory of the process that serves it.';
  return new DeskError('access.store_in_memory', message);
}
