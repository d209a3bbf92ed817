import { join } from 'node:path';
import type { Config } from '../config/index.js';

/** The SQLite file of the store. */
export function storeFile(
  { file }: Extract<Config['store'], { readonly kind: 'sqlite' }>,
  stateDirectory: string,
): string {
  return file ?? join(stateDirectory, 'state.db');
}
