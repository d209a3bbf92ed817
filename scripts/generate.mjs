// Runs every generator of scripts/generators/. `node scripts/generate.mjs` writes the files;
// `--check` writes nothing and fails, naming each file that is missing or stale.
//
// A generator is a module in scripts/generators/ that exports
//   outputs(): Promise<Array<{ path: string, text: string }>>
// path is relative to the project's root; text is the whole file. The same sources must always give the same
// text (no dates, no random order). A generator may import the built dist/ (`npm run check` builds first), or
// load a TypeScript file with `loadTs` of scripts/load-ts.mjs. Nothing else has to be registered anywhere.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, relative, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const folder = fileURLToPath(new URL('generators', import.meta.url));

async function main(isCheck) {
  const files = await collect();
  const stale = [];
  for (const [path, { text }] of files) if ((await readText(path)) !== text) stale.push(path);
  if (!isCheck) for (const path of stale) await writeText(path, files.get(path).text);
  for (const path of stale) console.log(isCheck ? `stale: ${path} (run: npm run generate)` : `wrote ${path}`);
  console.log(`${files.size} generated files, ${stale.length} ${isCheck ? 'stale' : 'written'}`);
  if (isCheck && stale.length > 0) process.exitCode = 1;
}

async function collect() {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.mjs')).sort();
  const files = new Map();
  for (const name of names) {
    for (const { path, text } of await outputsOf(name)) {
      const other = files.get(path);
      if (other) throw new Error(`${path} is written by both ${other.name} and ${name}`);
      if (relative(root, resolve(root, path)).startsWith('..'))
        throw new Error(`${name} writes outside the project: ${path}`);
      files.set(path, { name, text });
    }
  }
  return files;
}

async function outputsOf(name) {
  const generator = await import(pathToFileURL(resolve(folder, name)).href);
  if (typeof generator.outputs !== 'function') throw new Error(`${name} does not export outputs()`);
  return generator.outputs();
}

async function readText(path) {
  try {
    return await readFile(resolve(root, path), 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

async function writeText(path, text) {
  await mkdir(dirname(resolve(root, path)), { recursive: true });
  await writeFile(resolve(root, path), text);
}

await main(process.argv.includes('--check'));
