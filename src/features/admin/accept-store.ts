import { AdminError } from '../../access/admin/index.js';
import { formatPrincipal } from '../../access/index.js';
import { openKnownStore } from '../../workspace/known-stores.js';
import type { OpenTidegate, TidegateOptions } from '../../workspace/tidegate.js';

export interface AcceptedStore {
  readonly zone: string;
  /** False if no store was known, so there was nothing to accept. */
  readonly wasKnown: boolean;
  /** Revision of the accepted store. */
  readonly revision: number;
}

/** The operator accepts that the access rules of a lost store are gone. */
export async function acceptStore(
  openTidegate: OpenTidegate,
  options: Pick<TidegateOptions, 'cwd' | 'env' | 'version' | 'configFile'>,
): Promise<AcceptedStore> {
  const tidegate = await openTidegate({ ...options, mode: 'command' });
  try {
    const { access, config, stateDirectory } = tidegate;
    const { zone } = config.access;
    if (config.store.kind === 'memory')
      throw new AdminError(
        'access.store_in_memory',
        'The store is in memory (store.kind: memory), so there is nothing to accept.',
      );
    const wasKnown = openKnownStore(config.store, stateDirectory, () => undefined).forget(zone);
    const store = await access.store();
    const { revision } = await store.head(zone);
    const principal = formatPrincipal(access.local.principal);
    const record = { at: Date.now(), zone, action: 'store.accept', decision: 'allow', principal } as const;
    if (wasKnown) await store.appendAudit([{ ...record, target: zone, detail: { revision } }]);
    return { zone, wasKnown, revision };
  } finally {
    await tidegate.close();
  }
}
