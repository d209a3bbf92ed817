// The package as users get it: packed, built twice, installed without scripts under an empty home, and driven by each
// Node that we speak of. Last line: `N passed, N failed, N skipped`.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureInstalled } from '../../../scripts/install.mjs';
import { runCommand } from '../../../scripts/run-command.mjs';
import { answered } from './answered.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '../../..');
const mib = 1024 * 1024;
/** What the package may weigh: packed, unpacked, and with all that npm installs along. */
const budget = { packed: 3 * mib, unpacked: 10 * mib, installed: 60 * mib };
const needed = ['LICENSE', 'NOTICE', 'README.md', 'dist/THIRD_PARTY_NOTICES.txt', 'dist/sbom.cdx.json'];
const nodes = [
  ['this Node', process.execPath],
  ['Node 22', join(here, 'node_modules/node22/bin/node')],
  ['Node 24', join(here, 'node_modules/node24/bin/node')],
];
const totals = { passed: 0, failed: 0, skipped: 0 };

async function main() {
  await ensureInstalled(here);
  const place = await mkdtemp(join(tmpdir(), 'tidegate-package-'));
  try {
    const tarball = await pack(root, join(place, 'first'));
    await judge('the same sources give the same package', () => sameTwice(place, tarball));
    const user = await install(place, tarball);
    await judge('the package is small', () => sizes(tarball, user));
    await judge('licences, notices and the list of parts are in it', () => hasParts(user));
    await judge('nothing of it runs at install', () => hasNoScripts(user));
    for (const [name, node] of nodes) {
      if (existsSync(node))
        await judge(`${name}: from npx to an answered call`, () => answered(node, user, place));
      else skip(`${name}: there is none for this machine`);
    }
    for (const [name, node] of nodes.slice(1)) {
      if (existsSync(node))
        await judge(`${name}: keeps compiled code only where nobody else can write`, () =>
          keepsCompiled(node, user, place),
        );
      else skip(`${name}: there is none for this machine`);
    }
  } finally {
    await rm(place, { recursive: true, force: true });
  }
  console.log(`${totals.passed} passed, ${totals.failed} failed, ${totals.skipped} skipped`);
  if (totals.failed > 0 || totals.passed === 0) process.exitCode = 1;
}

async function judge(name, work) {
  try {
    const said = await work();
    totals.passed += 1;
    console.log(`ok   ${name}${said === undefined ? '' : `: ${said}`}`);
  } catch (error) {
    totals.failed += 1;
    console.log(`FAIL ${name}: ${error.message}`);
  }
}

function skip(name) {
  totals.skipped += 1;
  console.log(`skip ${name}`);
}

async function pack(folder, target) {
  await mkdir(target, { recursive: true });
  await must('npm', ['pack', '--ignore-scripts', '--loglevel=error', '--pack-destination', target], folder);
  return join(target, (await readdir(target))[0]);
}

/** Builds a copy of the sources in another folder, of another name. */
async function sameTwice(place, tarball) {
  const copy = join(place, 'elsewhere', 'under another name');
  await mkdir(copy, { recursive: true });
  const { output } = await must(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    root,
  );
  const files = output.split('\0').filter((file) => file !== '' && existsSync(join(root, file)));
  for (const file of files) await cp(join(root, file), join(copy, file));
  await cp(join(root, 'node_modules'), join(copy, 'node_modules'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  await must(process.execPath, ['scripts/build.mjs'], copy);
  const again = await pack(copy, join(place, 'second'));
  const [one, other] = await Promise.all([tarball, again].map(hashOf));
  if (one !== other) throw new Error(`sha256 ${one} and ${other}`);
  return `sha256 ${one.slice(0, 16)}…`;
}

async function hashOf(file) {
  return createHash('sha256')
    .update(await readFile(file))
    .digest('hex');
}

/** A folder of somebody who has Node and npm and nothing else. */
async function install(place, tarball) {
  const folder = join(place, 'project');
  const home = join(place, 'home');
  await mkdir(folder);
  await mkdir(home);
  await writeFile(join(folder, 'package.json'), '{ "private": true }\n');
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error', tarball];
  await must('npm', args, folder);
  return { folder, home, modules: join(folder, 'node_modules') };
}

async function sizes(tarball, { modules }) {
  const found = {
    packed: (await stat(tarball)).size,
    unpacked: await weight(join(modules, 'tidegate')),
    installed: await weight(modules),
  };
  const text = Object.entries(found).map(
    ([name, bytes]) => `${name} ${(bytes / mib).toFixed(1)} of ${budget[name] / mib} MiB`,
  );
  if (Object.entries(found).some(([name, bytes]) => bytes > budget[name])) throw new Error(text.join(', '));
  return text.join(', ');
}

async function weight(folder) {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  const all = await Promise.all(
    files.map(async ({ parentPath, path, name }) => (await stat(join(parentPath ?? path, name))).size),
  );
  return all.reduce((sum, size) => sum + size, 0);
}

async function hasParts({ modules }) {
  const missing = needed.filter((file) => !existsSync(join(modules, 'tidegate', file)));
  if (missing.length > 0) throw new Error(`missing: ${missing.join(', ')}`);
  const bom = JSON.parse(await readFile(join(modules, 'tidegate/dist/sbom.cdx.json'), 'utf8'));
  const known = new Set(bom.components.map(({ name, version }) => `${name}@${version}`));
  const there = JSON.parse(await readFile(join(modules, '.package-lock.json'), 'utf8')).packages;
  const names = Object.keys(there)
    .filter((path) => path !== 'node_modules/tidegate')
    .map((path) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length));
  const unnamed = names.filter((name) => ![...known].some((one) => one.startsWith(`${name}@`)));
  if (unnamed.length > 0) throw new Error(`not in the list of parts: ${unnamed.join(', ')}`);
  return `${bom.components.length} parts`;
}

async function hasNoScripts({ modules }) {
  const there = JSON.parse(await readFile(join(modules, '.package-lock.json'), 'utf8')).packages;
  const having = Object.entries(there).filter(([, { hasInstallScript }]) => hasInstallScript === true);
  if (having.length > 0) throw new Error(`with scripts: ${having.map(([path]) => path).join(', ')}`);
}

/** What is kept there is run: a state directory that others can write to gets nothing. */
async function keepsCompiled(node, { modules }, place) {
  const program = join(modules, 'tidegate/dist/tidegate.js');
  for (const [mode, isKept] of [
    [0o700, true],
    [0o777, false],
  ]) {
    const home = await mkdtemp(join(place, 'state-'));
    await chmod(home, mode);
    await runCommand(node, [program, 'tools', 'list'], {
      cwd: place,
      env: { TIDEGATE_HOME: home },
      limitMs: 60_000,
    });
    if (existsSync(join(home, 'compiled')) !== isKept)
      throw new Error(`mode ${mode.toString(8)}: ${isKept ? 'nothing' : 'something'} was kept`);
  }
}

async function must(command, args, cwd) {
  const result = await runCommand(command, args, { cwd, limitMs: 300_000 });
  if (result.code !== 0) throw new Error(`${command} ${args[0]}: ${result.output.slice(-2000)}`);
  return result;
}

await main();
