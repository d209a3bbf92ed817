// Builds the package into dist/: the program and the public doors as bundles with lazy chunks, the types of
// the public doors, and the licences of what was bundled. `--no-types` leaves the types as they are.
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
  // Not a door: the thread that writes to SQLite starts here.
  'store-writer': 'src/stores/sqlite/writer.main.ts',
  // Nor this: the thread that counts what commands use.
  'limit-watch': 'src/services/shell/limit-watch.main.ts',
};
const gate = 'src/app/index.ts';
const settings = 'src/config/index.ts';
// These are loaded before there is a gate, or without one: it must not come along.
const gateless = [
  gate,
  settings,
  entries.tidegate,
  entries.tool,
  entries.testing,
  entries.plugin,
  entries['limit-watch'],
  // What a plugin's own process loads late.
  'src/plugin/grpc-server.ts',
  'src/app/via.ts',
  'src/app/shim.ts',
  'src/cli/terminal/ask.ts',
  'src/cli/run.ts',
  'src/cli/run-process.ts',
];
// What `tidegate mcp` loads until it has answered its first list.
const startOfMcp = [entries.tidegate, 'src/cli/run-process.ts', gate];
// What cannot be bundled is installed along: a program or a library per platform, and a compiler that reads files of its own.
const installed = ['@vscode/ripgrep', 'jiti', 'libsql'];
const program = join(dist, 'tidegate.js');
const shim = join(dist, 'mcp-serve.cjs');
// Bundled CommonJS packages `require` Node's own modules, which an ES module cannot. This costs a chunk nothing
// at start, unlike the usual `createRequire`.
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

/** What agents start, for each of their runs: one plain script starts faster than modules do. */
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

/** What has been loaded by the time that this module is. */
function thereBefore(path) {
  if (path === 'src/config/yaml-tree.ts') return settings;
  return path.startsWith('src/') && !gateless.includes(path) ? gate : undefined;
}

function sizes(metafile) {
  const kib = (paths) =>
    `${(paths.reduce((sum, path) => sum + metafile.outputs[path].bytes, 0) / 1024).toFixed(0)} KiB`;
  const all = Object.keys(metafile.outputs).filter((path) => path.endsWith('.js'));
  const start = filesOf(metafile, startOfMcp);
  return `${kib(all)} of code, ${kib(start)} of it in ${start.length} files for the start of mcp`;
}

/** A new tool is one new file: the catalog follows by itself. */
async function refreshCatalog() {
  const { path, text } = await catalog();
  const file = join(root, path);
  const known = await readFile(file, 'utf8').catch(() => undefined);
  if (known !== text) await replaceFile(file, text);
}

/** What a bundle still imports must be Node's own, or installed along. */
function refuseOutsidePackages({ outputs }) {
  const imported = Object.values(outputs).flatMap(({ imports }) =>
    imports.filter(({ external }) => external),
  );
  const outside = imported
    .map(({ path }) => path)
    .filter((path) => !isBuiltin(path) && !installed.includes(path));
  if (outside.length > 0) throw new Error(`not bundled, and not part of Node: ${outside.join(', ')}`);
}

/** esbuild keeps a source's own hashbang; the program has one even where its source has none. */
function addHashbang(files) {
  const text = files.get(program);
  if (text.startsWith('#!')) return;
  const map = JSON.parse(files.get(`${program}.map`));
  files.set(program, hashbang + text);
  files.set(`${program}.map`, JSON.stringify({ ...map, mappings: `;${map.mappings}` }));
}

/** A file is never half written: a program that starts during a build sees the old file or the new one. */
async function replaceFile(path, contents) {
  await mkdir(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}.tmp`;
  await writeFile(draft, contents);
  await rename(draft, path);
}

/** Chunks carry their hash in their name, so those of earlier builds would pile up. */
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
  // esbuild and tsc have already said what is wrong in the sources.
  console.error(`build failed: ${error.message}`);
  process.exitCode = 1;
}
