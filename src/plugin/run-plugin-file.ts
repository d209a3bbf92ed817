import { fileURLToPath } from 'node:url';
import * as zod from 'zod';
import { isRecord } from '../lib/is-record.js';
import { defineOperation, definePlugin, type Plugin } from './define-plugin.js';
import { servePlugin } from './serve-plugin.js';

/**
 * Loads a TypeScript or JavaScript file whose default export is a plugin, and serves it. In that file, `tidegate/plugin`
 * and `zod` resolve to the copies used here, whatever is installed next to it.
 */
export async function runPluginFile(file: URL | string): Promise<void> {
  const path = file instanceof URL ? fileURLToPath(file) : file;
  const { createJiti } = await import('jiti');
  const door = { definePlugin, defineOperation, servePlugin, z: zod.z };
  const jiti = createJiti(path, {
    fsCache: false,
    interopDefault: false,
    virtualModules: { 'tidegate/plugin': door, zod },
  });
  const exported: unknown = await jiti.import(path);
  const plugin = isRecord(exported) ? exported['default'] : undefined;
  if (isPlugin(plugin)) return servePlugin(plugin);
  process.stderr.write(`${path}: the default export is not a plugin. Create one with definePlugin.\n`);
  process.exitCode = 1;
}

/** A run-time check, because the file may not be type-checked. */
function isPlugin(value: unknown): value is Plugin {
  return isRecord(value) && typeof value['name'] === 'string' && typeof value['version'] === 'string';
}
