import { AdminError } from '../../access/admin/index.js';
import { createTokenAdmin, IdentityError, type TokenAdmin } from '../../access/tokens/index.js';
import { StoreError } from '../../access/ports/index.js';
import type { OpenTidegate, Tidegate, TidegateOptions } from '../../workspace/tidegate.js';
import { actorOf } from './token-operations.js';

export { AdminError, IdentityError, StoreError };
export type { IdentityCode } from '../../access/tokens/index.js';

export interface OpenTokenAdmin {
  readonly service: TokenAdmin;
  readonly tidegate: Tidegate;
  close(): Promise<void>;
}

/** Opens the token service as the operator. It works on the store directly: no running gateway is needed. */
export async function openTokenAdmin(
  openTidegate: OpenTidegate,
  options: Pick<TidegateOptions, 'cwd' | 'env' | 'version' | 'configFile'>,
): Promise<OpenTokenAdmin> {
  const tidegate = await openTidegate({ ...options, mode: 'command', withRights: true });
  try {
    const { access, config } = tidegate;
    if (config.store.kind === 'memory') {
      const message =
        'The store is in memory (store.kind: memory), so only the running gateway has these tokens.';
      throw new AdminError('access.store_in_memory', message);
    }
    const profiles = access.rights && [...access.rights.authorizer.policy.names];
    const service = createTokenAdmin({
      store: await access.store(),
      zone: config.access.zone,
      now: () => Date.now(),
      by: actorOf({ by: access.local }),
      ...(profiles && { profiles }),
    });
    return { service, tidegate, close: () => tidegate.close() };
  } catch (error) {
    await tidegate.close();
    throw error;
  }
}
