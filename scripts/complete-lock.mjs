// If npm could only access the packages of one platform, package-lock.json lacks those of the others, and `npm ci`
// rejects it. This script adds them, with the pinned version and the platform from their name, so that each machine
// installs only its own. Run it after `npm install` changed a lock file. The optional argument is a package folder other
// than the root.
import { readFile, writeFile } from 'node:fs/promises';

const root = new URL('../', import.meta.url);
const file = new URL(`${process.argv[2] ?? '.'}/package-lock.json`, root);
const systems = [
  'aix',
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'win32',
];
const processors = [
  'arm64',
  'arm',
  'ia32',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'wasm32',
  'x64',
];
/** Some package names use other platform names than npm. */
const spelt = { windows: 'win32' };
const exact = /^\d+\.\d+\.\d+$/;

const lock = JSON.parse(await readFile(file, 'utf8'));
const known = new Set(Object.keys(lock.packages).map((path) => path.replace(/^.*node_modules\//, '')));
const added = Object.values(lock.packages).flatMap(missingOf);
for (const [path, entry] of added) lock.packages[path] = entry;
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(byPath));
if (added.length > 0) await writeFile(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added.length} packages for other platforms added to package-lock.json`);

function missingOf({ optionalDependencies = {}, dev }) {
  const missing = Object.entries(optionalDependencies).filter(([name]) => !known.has(name));
  return missing.map(([name, version]) => [`node_modules/${name}`, entryOf(name, version, dev)]);
}

function entryOf(name, version, dev) {
  const words = name.split(/[/-]/).map((word) => spelt[word] ?? word);
  const os = systems.filter((system) => words.includes(system));
  const cpu = processors.filter((processor) => words.includes(processor)).slice(0, 1);
  if (!exact.test(version) || cpu.length === 0)
    throw new Error(`cannot determine the platform of ${name} ${version}`);
  return {
    version,
    cpu,
    ...(dev && { dev }),
    optional: true,
    ...(os.length > 0 && { os }),
    ...libcOf(words),
  };
}

function libcOf(words) {
  if (!words.includes('linux')) return {};
  return { libc: [words.some((word) => word.startsWith('musl')) ? 'musl' : 'glibc'] };
}

function byPath([a], [b]) {
  return a === b ? 0 : a < b ? -1 : 1;
}
