import { readFile } from 'node:fs/promises';

/** The values with which a bundler replaces the names declared in build-constants.d.ts. */
export async function buildConstants() {
  const { version } = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8'));
  return { __TIDEGATE_VERSION__: JSON.stringify(version) };
}
