// The authorizer as the gateway uses it: a store of 100,000 tuples, and lists of 50, 1,000 and 10,000 tools.
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { buildConstants } from '../../scripts/build-constants.mjs';
import { median } from '../statistics.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const zone = 'local';
const tupleCount = 100_000;
const people = 1000;

export async function measureAuthorizer() {
  const folder = await bundle();
  try {
    const parts = await import(pathToFileURL(join(folder, 'authority.js')).href);
    const rows = [];
    for (const tools of [50, 1000, 10_000]) rows.push(await measureList(parts, tools));
    return rows;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measureList(parts, toolCount) {
  const store = parts.createMemoryStore();
  await fill(store, toolCount);
  const { shippedModel: model } = parts;
  const isBuiltin = () => false;
  const policy = parts.createPolicy(parts.resolveProfiles([], { isBuiltin, defaultProfile: 'none' }));
  const conditions = await parts.loadConditions(model);
  const authorizer = parts.openAuthorizer({
    store,
    zone,
    model,
    conditions,
    policy,
    isAlive: () => true,
    confirm: () => true,
    now: () => Date.now(),
    log: () => undefined,
  });
  const specs = Array.from({ length: toolCount }, (_, at) => specOf(parts, at));
  const session = (id) => ({ id, principal: { kind: 'agent', id, zone }, scope: 'connection' });
  const first = session('a0');
  const read = await timedAsync(async () => authorizer.refresh(first));
  const cold = Array.from({ length: 15 }, (_, at) =>
    timed(() => authorizer.list(session(`a${at + 1}`), specs)),
  );
  const warm = Array.from({ length: 200 }, () => timed(() => authorizer.list(first, specs)));
  const hot = perCall(() => authorizer.visible(first, specs[0]));
  const whoever = Array.from({ length: 300 }, (_, at) => session(`a${at + 100}`));
  const coldCheck = median(whoever.map((one) => timed(() => authorizer.visible(one, specs[1])))) * 1000;
  const memory = memoryOf(() => {
    for (let at = 400; at < 900; at += 1) authorizer.list(session(`a${at}`), specs);
  });
  authorizer.close();
  return {
    tools: toolCount,
    'first read ms': read.toFixed(0),
    'list cold ms': median(cold).toFixed(2),
    'list warm ms': median(warm).toFixed(4),
    'check cold µs': coldCheck.toFixed(1),
    'check hot µs': hot.toFixed(2),
    'KB per principal': (memory / 500 / 1024).toFixed(1),
  };
}

async function fill(store, toolCount) {
  const tuples = new Map();
  const add = (user, relation, object) =>
    tuples.set(`${user} ${relation} ${object}`, { user, relation, object });
  for (let person = 0; person < people; person += 1)
    add(`principal:agent/a${person}`, 'member', `role:r${person % 20}`);
  for (let role = 0; role < 20; role += 1)
    add(`role:r${role}#member`, 'caller', `group:glob/tool*${role % 10}`);
  for (let at = 0; tuples.size < tupleCount; at += 1)
    add(
      `principal:agent/a${(at * 7 + Math.floor(at / 10_000)) % people}`,
      at % 10 === 0 ? 'blocked' : 'caller',
      `tool:server/s${at % 50}/t${at % Math.max(toolCount, 10_000)}`,
    );
  const all = [...tuples.values()];
  for (let from = 0; from < all.length; from += 5000) {
    const record = { at: 0, zone, action: 'test', decision: 'allow', principal: 'user:bench' };
    await store.write({ zone, add: all.slice(from, from + 5000), record });
  }
}

function specOf({ JsonText }, at) {
  const definition = JsonText.from({ name: `tool${at}` });
  const source = `server:s${at % 50}`;
  return {
    kind: 'tool',
    name: `tool${at}`,
    localName: `t${at}`,
    source,
    effect: 'read',
    hints: {},
    definition,
  };
}

function timed(work) {
  const started = performance.now();
  work();
  return performance.now() - started;
}

async function timedAsync(work) {
  const started = performance.now();
  await work();
  return performance.now() - started;
}

function perCall(work) {
  const count = 20_000;
  for (let at = 0; at < count; at += 1) work();
  return (
    (timed(() => {
      for (let at = 0; at < count; at += 1) work();
    }) /
      count) *
    1000
  );
}

function memoryOf(work) {
  globalThis.gc?.();
  const before = process.memoryUsage().heapUsed;
  work();
  globalThis.gc?.();
  return Math.max(0, process.memoryUsage().heapUsed - before);
}

async function bundle() {
  await mkdir(join(root, '.cache'), { recursive: true });
  const outdir = await mkdtemp(join(root, '.cache', 'bench-authority-'));
  await build({
    absWorkingDir: root,
    stdin: {
      contents: `
        export { createPolicy, openAuthority } from './src/access/authorizer/index.ts';
        export { loadConditions } from './src/access/engine/index.ts';
        export { resolveProfiles } from './src/access/profiles/index.ts';
        export { shippedModel } from './src/access/model.generated.ts';
        export { createMemoryStore } from './src/stores/memory/index.ts';
        export { JsonText } from './src/core/index.ts';`,
      resolveDir: root,
      sourcefile: 'authority.ts',
    },
    outfile: join(outdir, 'authority.js'),
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node20.19',
    packages: 'external',
    define: await buildConstants(),
    logLevel: 'warning',
  });
  return outdir;
}
