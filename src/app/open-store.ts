import { join } from 'node:path';
import type { AccessStore } from '../access/ports.js';
import type { Config } from '../config/index.js';

type Log = (level: 'warn' | 'info', message: string, fields?: Readonly<Record<string, unknown>>) => void;

/** Opens what the configuration names. Nothing of a store is loaded before, and of the others nothing at all. */
export async function openAccessStore(
  config: Config['store'],
  stateDirectory: string,
  log: Log,
): Promise<AccessStore> {
  if (config.kind === 'memory') {
    const { createMemoryStore } = await import('../stores/memory/index.js');
    return createMemoryStore();
  }
  if (config.kind === 'postgres') {
    const { openPostgresStore } = await import('../stores/postgres/index.js');
    return openPostgresStore({ url: config.url, log });
  }
  const { openSqliteStore } = await import('../stores/sqlite/index.js');
  return openSqliteStore({ file: storeFile(config, stateDirectory), log });
}

/** Where SQLite keeps it. */
export function storeFile(
  { file }: Extract<Config['store'], { readonly kind: 'sqlite' }>,
  stateDirectory: string,
): string {
  return file ?? join(stateDirectory, 'state.db');
}
