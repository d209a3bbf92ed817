import { fileURLToPath } from 'node:url';
import * as zod from 'zod';
import { defineOperation, definePlugin, type Plugin } from './define-plugin.js';
import { servePlugin } from './serve-plugin.js';

/**
 * Loads a file whose default export is a plugin, TypeScript or JavaScript, and serves it. `tidegate/plugin` and `zod` are
 * for that file what they are here, whatever is installed beside it.
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
  const plugin = isObject(exported) ? exported['default'] : undefined;
  if (isPlugin(plugin)) return servePlugin(plugin);
  process.stderr.write(`${path}: its default export is not a plugin; make one with definePlugin\n`);
  process.exitCode = 1;
}

/** A first look, because nobody compiled the file. */
function isPlugin(value: unknown): value is Plugin {
  return isObject(value) && typeof value['name'] === 'string' && typeof value['version'] === 'string';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
