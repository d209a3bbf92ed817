// The measured table of docs/architecture.md: size of each module, imports across modules, cost of one call.
// Lines are rounded to hundreds, so that most commits don't change the table. The cost of a call is read from
// bench/warm-call/measured.json, because measuring it needs the built program: `node bench/warm-call/run.mjs`.
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const { tables } = createRequire(import.meta.url)('../../.dependency-cruiser.cjs');
const root = new URL('../..', import.meta.url);
const page = 'docs/architecture.md';
const marked = /(<!-- measured: generated[^\n]*-->\n)[\s\S]*?(<!-- end of measured -->)/;
const staticImport = /^(?:import|export)\b[^'";]*?\bfrom '(\.[^']+)'|^import '(\.[^']+)'/gm;
const inModule = new RegExp(tables.anyModule);

export async function outputs() {
  const text = await readFile(new URL(page, root), 'utf8');
  if (!marked.test(text)) throw new Error(`${page} has no markers for the measured table`);
  const table = await measured();
  return [{ path: page, text: text.replace(marked, (_all, begin, end) => `${begin}${table}\n${end}`) }];
}

async function measured() {
  const sources = await readSources();
  const imports = sources.filter(({ isTest }) => !isTest).flatMap(importsOf);
  const call = JSON.parse(await readFile(new URL('bench/warm-call/measured.json', root), 'utf8'));
  return [
    '',
    '| module | files | lines | lines of tests |',
    '|---|---:|---:|---:|',
    ...moduleRows(sources),
    '',
    '| measured | |',
    '|---|---:|',
    `| imports from one module to another | ${imports.length} |`,
    ...ways.map(({ name, says }) => `| … ${says} | ${imports.filter(({ way }) => way === name).length} |`),
    `| functions in one warm stdio call | ${call.functions} in ${call.files.length} files |`,
    '',
  ].join('\n');
}

const ways = [
  { name: 'index', says: 'through an `index.ts`' },
  { name: 'open', says: `of single files of ${tables.openModules.map((one) => `\`${one}\``).join(', ')}` },
  { name: 'tool', says: 'of a tool file' },
  { name: 'entry', says: 'of a [listed entry point](reference/dependencies.md#entry-points)' },
  { name: 'bypass', says: 'that bypass all of these' },
];

function wayOf(to) {
  if (to.endsWith('/index.ts')) return 'index';
  if (tables.openModules.some((module) => to.startsWith(`src/${module}/`))) return 'open';
  if (to.endsWith('.tool.ts')) return 'tool';
  return tables.entryFiles.includes(to.slice('src/'.length)) ? 'entry' : 'bypass';
}

function importsOf({ path, text }) {
  const own = inModule.exec(path)?.[1];
  if (own === undefined) return [];
  return [...text.matchAll(staticImport)]
    .map(([, from, bare]) => posix.join(posix.dirname(path), (from ?? bare).replace(/\.js$/, '.ts')))
    .filter((to) => inModule.exec(to)?.[1] !== own)
    .map((to) => ({ way: wayOf(to) }));
}

function moduleRows(sources) {
  const modules = new Map();
  for (const { path, text, isTest } of sources) {
    const name = path.split('/')[1];
    const sum = modules.get(name) ?? { files: 0, lines: 0, tests: 0 };
    const lines = text.split('\n').length - 1;
    modules.set(
      name,
      isTest
        ? { ...sum, tests: sum.tests + lines }
        : { ...sum, files: sum.files + 1, lines: sum.lines + lines },
    );
  }
  const total = { files: 0, lines: 0, tests: 0 };
  for (const sum of modules.values()) for (const key of Object.keys(total)) total[key] += sum[key];
  const rows = [...modules].sort(([a], [b]) => (a < b ? -1 : 1));
  return [...rows.map(([name, sum]) => row(`\`${name}\``, sum)), row('all', total)];
}

function row(name, { files, lines, tests }) {
  return `| ${name} | ${files} | ${hundreds(lines)} | ${hundreds(tests)} |`;
}

function hundreds(lines) {
  return lines < 100 ? String(lines) : (Math.round(lines / 100) * 100).toLocaleString('en-US');
}

async function readSources() {
  const names = await readdir(fileURLToPath(new URL('src', root)), { recursive: true });
  const paths = names
    .filter((name) => name.endsWith('.ts'))
    .map((name) => `src/${name.replaceAll('\\', '/')}`);
  return Promise.all(
    paths.sort().map(async (path) => ({
      path,
      text: await readFile(new URL(path, root), 'utf8'),
      isTest: /\.(?:test|fixture)\.ts$/.test(path),
    })),
  );
}
