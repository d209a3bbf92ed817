// Builds the package into dist/: the program and the public entry points as bundles with lazy chunks, the types of the
// entry points, and the licenses of bundled packages. `--no-types` does not rebuild the types.
import { chmod, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { buildConstants } from './build-constants.mjs';
import { withBuildLock } from './build-lock.mjs';
import { buildTypes } from './build-types.mjs';
import { catalog } from './generators/tools.mjs';
import { sbom } from './sbom.mjs';
import { bundledPackages, thirdPartyNotices } from './third-party-notices.mjs';
import { filesOf, wholeChunks, withoutIdleHelpers } from './whole-chunks.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const entries = {
  tidegate: 'src/cli/main.ts',
  index: 'src/index.ts',
  tool: 'src/tool/index.ts',
  testing: 'src/testing/index.ts',
  plugin: 'src/plugin/index.ts',
  // Not a public entry point: the thread that writes to SQLite.
  'store-writer': 'src/stores/sqlite/writer.main.ts',
  // Not public either: the thread that measures the resource use of commands.
  'limit-watch': 'src/services/shell/limit-watch.main.ts',
};
const gate = 'src/app/index.ts';
const settings = 'src/config/index.ts';
// Loaded before or without a gateway, so they must not pull it in.
const gateless = [
  gate,
  settings,
  entries.tidegate,
  entries.tool,
  entries.testing,
  entries.plugin,
  entries['limit-watch'],
  // Loaded lazily by a plugin process.
  'src/plugin/grpc-server.ts',
  'src/app/via.ts',
  'src/app/shim.ts',
  'src/cli/terminal/ask.ts',
  'src/cli/run.ts',
  'src/cli/run-process.ts',
];
// What `tidegate mcp` loads to answer its first list.
const startOfMcp = [entries.tidegate, 'src/cli/run-process.ts', gate];
// Dependencies that cannot be bundled: platform-specific programs and libraries, and a compiler that reads its own files.
const installed = ['@vscode/ripgrep', 'jiti', 'libsql'];
const program = join(dist, 'tidegate.js');
const shim = join(dist, 'mcp-serve.cjs');
// Bundled CommonJS packages `require` Node's built-in modules, which an ES module cannot. Unlike the usual
// `createRequire`, this costs nothing at startup.
const requireBuiltins = 'var require=process.getBuiltinModule;';
const hashbang = '#!/usr/bin/env node\n';

async function main(withTypes) {
  const started = performance.now();
  const missing = Object.values(entries).filter((path) => !existsSync(join(root, path)));
  if (missing.length > 0) throw new Error(`these entry files do not exist: ${missing.join(', ')}`);
  await refreshCatalog();
  const [code] = await Promise.all([buildCode(), withTypes ? buildTypes(root, dist) : undefined]);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`built dist/: ${code}, in ${seconds} s`);
}

async function buildCode() {
  const options = {
    entryPoints: entries,
    absWorkingDir: root,
    outdir: dist,
    bundle: true,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    external: installed,
    mainFields: ['module', 'main'],
    conditions: ['module'],
    define: await buildConstants(),
    banner: { js: requireBuiltins },
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: 'none',
    sourcemap: 'linked',
    sourcesContent: false,
    metafile: true,
    write: false,
    logLevel: 'warning',
  };
  const whole = await wholeChunks(options, thereBefore);
  const { outputFiles, metafile } = await build({ ...options, plugins: [whole] });
  refuseOutsidePackages(metafile);
  const unhelped = withoutIdleHelpers(metafile);
  const files = new Map(outputFiles.map(({ path, text }) => [path, unhelped(text)]));
  addHashbang(files);
  const packages = await bundledPackages(root, metafile);
  files.set(join(dist, 'THIRD_PARTY_NOTICES.txt'), await thirdPartyNotices(packages));
  files.set(join(dist, 'sbom.cdx.json'), await sbom(root, packages));
  files.set(shim, await buildShim(options));
  for (const [path, contents] of files) await replaceFile(path, contents);
  await chmod(program, 0o755);
  await removeOld(files);
  await replaceFile(join(root, '.cache', 'metafile.json'), JSON.stringify(metafile));
  return sizes(metafile);
}

/** Agents start this script for each of their runs; one plain script starts faster than modules. */
async function buildShim({ absWorkingDir, bundle, platform, target, minifySyntax, minifyWhitespace }) {
  const { outputFiles } = await build({
    entryPoints: ['src/transports/socket/shim.main.ts'],
    ...{ absWorkingDir, bundle, platform, target, minifySyntax, minifyWhitespace },
    format: 'cjs',
    write: false,
    logLevel: 'warning',
  });
  return outputFiles[0].text;
}

/** What is already loaded when this module loads. */
function thereBefore(path) {
  if (path === 'src/config/yaml-tree.ts') return settings;
  return path.startsWith('src/') && !gateless.includes(path) ? gate : undefined;
}

function sizes(metafile) {
  const kib = (paths) =>
    `${(paths.reduce((sum, path) => sum + metafile.outputs[path].bytes, 0) / 1024).toFixed(0)} KiB`;
  const all = Object.keys(metafile.outputs).filter((path) => path.endsWith('.js'));
  const start = filesOf(metafile, startOfMcp);
  return `${kib(all)} of code, ${kib(start)} of it in ${start.length} files at the start of mcp`;
}

/** Regenerates the catalog, so that adding a tool only needs one new file. */
async function refreshCatalog() {
  const { path, text } = await catalog();
  const file = join(root, path);
  const known = await readFile(file, 'utf8').catch(() => undefined);
  if (known !== text) await replaceFile(file, text);
}

/** A bundle may import only Node's built-in modules and installed dependencies. */
function refuseOutsidePackages({ outputs }) {
  const imported = Object.values(outputs).flatMap(({ imports }) =>
    imports.filter(({ external }) => external),
  );
  const outside = imported
    .map(({ path }) => path)
    .filter((path) => !isBuiltin(path) && !installed.includes(path));
  if (outside.length > 0)
    throw new Error(`imports that are neither bundled nor part of Node: ${outside.join(', ')}`);
}

/** esbuild keeps the hashbang of a source file; the program needs one even if its source has none. */
function addHashbang(files) {
  const text = files.get(program);
  if (text.startsWith('#!')) return;
  const map = JSON.parse(files.get(`${program}.map`));
  files.set(program, hashbang + text);
  files.set(`${program}.map`, JSON.stringify({ ...map, mappings: `;${map.mappings}` }));
}

/** Writes atomically: a program that starts during a build sees the old file or the new one. */
async function replaceFile(path, contents) {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.tmp`;
  await writeFile(draft, contents);
  await rename(draft, path);
}

/** Chunk names contain a hash, so chunks of earlier builds would pile up. */
async function removeOld(files) {
  const found = await readdir(dist, { recursive: true, withFileTypes: true });
  for (const entry of found) {
    const path = join(entry.parentPath ?? entry.path, entry.name);
    if (entry.isDirectory() || relative(dist, path).startsWith('types')) continue;
    if (!files.has(path) && !path.endsWith('.tmp')) await rm(path, { force: true });
  }
}

try {
  await withBuildLock(root, () => main(!process.argv.includes('--no-types')));
} catch (error) {
  // esbuild and tsc have already reported errors in the sources.
  console.error(`build failed: ${error.message}`);
  process.exitCode = 1;
}
