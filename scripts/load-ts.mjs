// Lets a script import a TypeScript source file of the project without a build.
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { buildConstants } from './build-constants.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const cache = join(root, '.cache', 'load-ts');

/**
 * Bundles one TypeScript file (path relative to the project root) with its imports from src, and returns its exports.
 * npm packages are not bundled but resolved from node_modules.
 */
export async function loadTs(path) {
  const { outputFiles } = await build({
    entryPoints: [resolve(root, path)],
    absWorkingDir: root,
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    packages: 'external',
    sourcemap: 'inline',
    define: await buildConstants(),
    logLevel: 'warning',
  });
  const text = outputFiles[0].text;
  // Named by content hash, because importing the same path twice would return the first module again.
  const file = join(cache, `${createHash('sha256').update(text).digest('hex').slice(0, 16)}.mjs`);
  await mkdir(cache, { recursive: true });
  await writeFile(file, text);
  return import(pathToFileURL(file).href);
}
