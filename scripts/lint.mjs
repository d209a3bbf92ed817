// eslint caches results per file, but rules that use types also depend on other files, so a cached result may be wrong in
// either direction. The cache is therefore only used for exactly the same tree.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from './run-command.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const cache = join(root, '.cache', 'eslint');
const fixed = ['package-lock.json', 'tsconfig.json', 'eslint.config.js', 'vitest.config.ts'];

const name = await treeHash();
await mkdir(cache, { recursive: true });
for (const old of await readdir(cache))
  if (old !== name) await rm(join(cache, old), { recursive: true, force: true });
const args = [
  '.',
  '--max-warnings=0',
  '--cache',
  '--cache-location',
  join(cache, name),
  ...process.argv.slice(2),
];
const eslint = join(root, 'node_modules', '.bin', 'eslint');
const { code } = await runCommand(eslint, args, { cwd: root, show: true });
process.exitCode = code;

async function treeHash() {
  const hash = createHash('sha256');
  const folders = await Promise.all(['src', 'test', 'scripts'].map(sourcesOf));
  for (const file of [...fixed, ...folders.flat().sort()])
    hash.update(file).update(await readFile(join(root, file)));
  return hash.digest('hex').slice(0, 16);
}

async function sourcesOf(folder) {
  const found = await readdir(join(root, folder), { recursive: true });
  const sources = found.filter((file) => file.endsWith('.ts') && !file.includes('node_modules'));
  return sources.map((file) => join(folder, file));
}
