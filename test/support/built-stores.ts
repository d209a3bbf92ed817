/** The stores as they are built into the program, with the thread that writes beside them. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import type * as stores from './built-stores.main.js';

type Stores = typeof stores;

export interface BuiltStores extends Stores {
  /** Where a program for another process is. */
  readonly driver: string;
  close(): void;
}

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Inside the project, because what is installed along is found from there. */
export async function buildStores(): Promise<BuiltStores> {
  mkdirSync(join(root, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(root, '.cache', 'stores-'));
  await build({
    absWorkingDir: root,
    entryPoints: {
      stores: fileURLToPath(new URL('built-stores.main.ts', import.meta.url)),
      driver: fileURLToPath(new URL('store-driver.main.ts', import.meta.url)),
      'store-writer': 'src/stores/sqlite/writer.main.ts',
    },
    outdir: folder,
    bundle: true,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    external: ['libsql'],
    define: { __TIDEGATE_VERSION__: JSON.stringify(__TIDEGATE_VERSION__) },
    logLevel: 'error',
  });
  // eslint-disable-next-line no-restricted-syntax -- it was built just now, from what the dependency check sees
  const built = (await import(pathToFileURL(join(folder, 'stores.js')).href)) as Stores;
  return {
    ...built,
    driver: join(folder, 'driver.js'),
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
}
