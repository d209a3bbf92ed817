import { existsSync } from 'node:fs';
import type { AccessStore } from '../access/ports/index.js';
import type { Config } from '../config/index.js';
import { withKnownStore } from './guarded-store.js';
import { openKnownStore } from './known-stores.js';
import { storeFile } from './store-file.js';

type Log = (level: 'warn' | 'info', message: string, fields?: Readonly<Record<string, unknown>>) => void;

/** Opens the configured store, and refuses one that lost its access rules. Loads only the code of that store. */
export async function openAccessStore(
  config: Config['store'],
  stateDirectory: string,
  log: Log,
): Promise<AccessStore> {
  if (config.kind === 'memory') {
    const { createMemoryStore } = await import('../stores/memory/index.js');
    return createMemoryStore();
  }
  const known = openKnownStore(config, stateDirectory, (message, fields) => log('warn', message, fields));
  if (config.kind === 'postgres') {
    const { openPostgresStore } = await import('../stores/postgres/index.js');
    return withKnownStore(await openPostgresStore({ url: config.url, log }), known);
  }
  const file = storeFile(config, stateDirectory);
  // Check before an empty file is created.
  if (!existsSync(file) && known.isKnown()) throw known.lost(`The store ${file} is missing.`);
  const { openSqliteStore } = await import('../stores/sqlite/index.js');
  return withKnownStore(await openSqliteStore({ file, log }), known);
}
