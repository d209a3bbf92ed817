// `node bench/stores/run.mjs [--seconds N] [--folder DIR] [--no-postgres] [--page]`: the cost of writing and reading grants,
// with each store as built into the program. A commit counts once it is on disk.
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { arch, availableParallelism, loadavg, platform, tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { build } from 'esbuild';
import { buildConstants } from '../../scripts/build-constants.mjs';
import { sections } from '../sections.mjs';
import { openServer } from './postgres-server.mjs';
import { measureReads, measureSingleRows, measureWrites } from './measure.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));

async function main() {
  const { values } = parseArgs({
    options: {
      seconds: { type: 'string', default: '3' },
      folder: { type: 'string', default: tmpdir() },
      'no-postgres': { type: 'boolean', default: false },
      page: { type: 'boolean', default: false },
    },
  });
  const seconds = Number(values.seconds);
  if (!(seconds > 0)) throw new Error('--seconds takes a number');
  const built = await bundle();
  const place = await mkdtemp(join(resolve(values.folder), 'tidegate-bench-stores-'));
  const before = loadavg()[0];
  try {
    const stores = await import(pathToFileURL(join(built, 'stores.js')).href);
    await measureSqlite(stores, place, seconds);
    if (!values['no-postgres']) await measurePostgres(stores, place, seconds);
  } finally {
    await rm(place, { recursive: true, force: true });
    await rm(built, { recursive: true, force: true });
  }
  const machine = `${platform()} ${arch()}, ${availableParallelism()} cores, Node ${process.versions.node}`;
  const about = `${machine}, ${seconds} s each, load ${before.toFixed(1)} to ${loadavg()[0].toFixed(1)}`;
  console.log(about);
  if (values.page) await writePage(about);
}

const shown = [];

function show(title, writes, reads) {
  console.log(`\n${title}`);
  console.table(writes);
  console.table(reads);
  shown.push(`**${title}**\n\n${table(writes)}\n\n${table(reads)}`);
}

function table(rows) {
  const heads = [...new Set(Object.values(rows).flatMap((row) => Object.keys(row)))];
  const lines = Object.entries(rows).map(([name, row]) => [name, ...heads.map((head) => row[head] ?? '')]);
  return [['', ...heads], ['---', ...heads.map(() => '---')], ...lines]
    .map((cells) => `| ${cells.join(' | ')} |`)
    .join('\n');
}

async function writePage(about) {
  const file = join(root, 'docs', 'benchmarks.md');
  const text = `The cost of writing and reading grants, with each store as the program uses it. A grant counts once it's on disk; concurrent
grants are committed together. ${about}.

${shown.join('\n\n')}`;
  await writeFile(file, sections.stores.into(await readFile(file, 'utf8'), text));
  console.log('wrote docs/benchmarks.md');
}

async function measureSqlite({ openSqliteStore, openConnection }, place, seconds) {
  const floor = await measureSingleRows(() => openConnection(join(place, 'floor.db'), 0), seconds);
  const store = await openSqliteStore({ file: join(place, 'access.db') });
  const writes = { 'one row per commit, bare': floor, ...(await measureWrites(store, seconds)) };
  show('SQLite, WAL, synchronous=FULL', writes, await measureReads(store));
  await store.close();
}

async function measurePostgres({ openPostgresStore }, place, seconds) {
  const server = await openServer(join(place, 'postgres'));
  const store = await openPostgresStore({ url: server.url });
  show(
    'PostgreSQL on the loopback interface, fsync on',
    await measureWrites(store, seconds),
    await measureReads(store),
  );
  await store.close();
  await server.close();
}

/** Inside the project, so that installed dependencies are found. */
async function bundle() {
  await mkdir(join(root, '.cache'), { recursive: true });
  const outdir = await mkdtemp(join(root, '.cache', 'bench-stores-'));
  await build({
    absWorkingDir: root,
    stdin: {
      contents: `
        export { openConnection } from './src/stores/sqlite/connection.ts';
        export { openSqliteStore } from './src/stores/sqlite/index.ts';
        export { openPostgresStore } from './src/stores/postgres/index.ts';`,
      resolveDir: root,
      sourcefile: 'stores.ts',
    },
    outdir,
    entryNames: 'stores',
    bundle: true,
    splitting: true,
    chunkNames: 'chunks/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    external: ['libsql'],
    define: await buildConstants(),
    logLevel: 'warning',
  });
  await build({
    absWorkingDir: root,
    entryPoints: { 'store-writer': 'src/stores/sqlite/writer.main.ts' },
    outdir,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    external: ['libsql'],
    logLevel: 'warning',
  });
  return outdir;
}

await main();
