import { DeskError } from '../access/desk/index.js';
import { createTokenDesk, IdentityError, type TokenDesk } from '../access/identity/index.js';
import { StoreError } from '../access/ports.js';
import { openTidegate } from './open-tidegate.js';
import type { Tidegate, TidegateOptions } from './tidegate.js';
import { actorOf } from './token-operations.js';

export { DeskError, IdentityError, StoreError };
export type { IdentityCode } from '../access/identity/index.js';

export interface OpenTokenDesk {
  readonly desk: TokenDesk;
  readonly tidegate: Tidegate;
  close(): Promise<void>;
}

/** The desk of tokens for this place, with the operator at it. It works on the store itself: no gate has to run. */
export async function openTokenDesk(
  options: Pick<TidegateOptions, 'cwd' | 'env' | 'version' | 'configFile'>,
): Promise<OpenTokenDesk> {
  const tidegate = await openTidegate({ ...options, mode: 'command', withRights: true });
  try {
    const { access, config } = tidegate;
    if (config.store.kind === 'memory') {
      const message = 'The tokens of this gate are in the memory of the process that serves it.';
      throw new DeskError('access.store_in_memory', message);
    }
    const profiles = access.rights && [...access.rights.authority.policy.names];
    const desk = createTokenDesk({
      store: await access.store(),
      zone: config.access.zone,
      now: () => Date.now(),
      by: actorOf({ by: access.local }),
      ...(profiles && { profiles }),
    });
    return { desk, tidegate, close: () => tidegate.close() };
  } catch (error) {
    await tidegate.close();
    throw error;
  }
}
