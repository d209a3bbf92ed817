import { createHash } from 'node:crypto';
import { type BigIntStats, lstatSync, readdirSync, readlinkSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { sha256Of } from '../../lib/sha256.js';
import { javaScriptNames, type ModuleNames } from './module-names.js';
import { readRegular, readRegularText } from './workspace-paths.js';

export interface InstalledPackage {
  /** Covers every file in its folder, except packages that are installed inside it. */
  readonly sha256: string;
  /** The packages that it may load. */
  readonly names: readonly string[];
  /** Files and folders outside it that it may load by path or through links. */
  readonly beyond: readonly string[];
  /** Whether it also loads computed names. */
  readonly isComputed: boolean;
}

interface Entry {
  readonly path: string;
  readonly name: string;
  readonly stats: BigIntStats;
}

interface Known extends InstalledPackage {
  readonly stamp: string;
}

const maxFiles = 20_000;
const maxBytes = 1024 * 1024 * 1024;
const maxDepth = 24;
const maxRead = 1024 * 1024;
const maxKnown = 2_000;
/** File system clocks are coarse, so a file that changed just now may change again with the same timestamp. */
const settledMs = 2_000;
const notLoaded =
  /(?:^|\/)(?:tests?|__tests__|spec|examples?|docs?|bench(?:marks?)?|fixtures)\/|\.(?:test|spec)\.|\.d\.[cm]?ts$/;

/** The names in a file that is too large are unknown. */
const unread: ModuleNames = { paths: [], bare: [], isComputed: true };

const known = new Map<string, Known>();

/**
 * Reads a package again only if one of its files changed. This is safe because the change time of a file cannot be set back
 * without root permissions. Throws if the folder is too large to be trusted.
 */
export function packageAt(folder: string): InstalledPackage {
  return readOnce(folder, { kind: 'package', leftOut: ['node_modules'] });
}

/** Hashes everything in a workspace folder, including packages, except what agents cannot write. */
export function treeAt(folder: string): string {
  return readOnce(folder, { kind: 'tree', leftOut: ['.git', '.tidegate'] }).sha256;
}

/** Like `treeAt`, without data files that programs write while they run and never load. */
export function codeTreeAt(folder: string): string {
  return codePackageAt(folder).sha256;
}

/** Like `codeTreeAt`, with what its files load. */
export function codePackageAt(folder: string): InstalledPackage {
  const leftOut = ['.git', '.tidegate', '__pycache__'];
  return readOnce(folder, { kind: 'code', leftOut, counts: (name) => !written.test(name) });
}

/** Hashes what Python could import from a package. */
export function pythonPackageAt(folder: string): string {
  const leftOut = ['__pycache__'];
  return readOnce(folder, { kind: 'python', leftOut, counts: (name) => pythonFile.test(name) }).sha256;
}

interface Kind {
  readonly kind: string;
  /** Names of folders. */
  readonly leftOut: readonly string[];
  readonly counts?: (name: string) => boolean;
}

const written = /\.(?:db|sqlite3?|log|pid|png|jpe?g|gif|svg|pdf)$|-(?:wal|shm|journal)$/i;
const pythonFile = /\.(?:py|pyc|so|pyd)$/;

function readOnce(folder: string, { kind, leftOut, counts = () => true }: Kind): InstalledPackage {
  const key = `${kind} ${folder}`;
  const entries = entriesIn({ root: folder, leftOut, counts, found: [], bytes: 0n }, folder, 0);
  const stamp = sha256Of(entries.map(stampOf).join('\n'));
  const before = known.get(key);
  if (before?.stamp === stamp) return before;
  const read = readPackage(folder, entries);
  const newest = Math.max(0, ...entries.map(({ stats }) => Number(stats.ctimeMs)));
  if (known.size >= maxKnown) known.clear();
  if (Date.now() - newest >= settledMs) known.set(key, { ...read, stamp });
  return read;
}

function stampOf({ name, stats }: Entry): string {
  return [name, stats.dev, stats.ino, stats.mode, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ');
}

function readPackage(folder: string, entries: readonly Entry[]): InstalledPackage {
  const hash = createHash('sha256');
  const names = new Set(dependenciesOf(join(folder, 'package.json')));
  const beyond = new Set<string>();
  let isComputed = false;
  for (const { path, name, stats } of entries) {
    const mode = (stats.mode & 0o111n) === 0n ? '-' : 'x';
    if (stats.isSymbolicLink()) {
      const target = readlinkSync(path);
      hash.update(JSON.stringify([name, mode, target]));
      if (isBeyond(folder, resolve(dirname(path), target))) beyond.add(path);
      continue;
    }
    const bytes = readRegular(path);
    hash.update(JSON.stringify([name, mode, sha256Of(bytes)]));
    if (!/\.[cm]?[jt]sx?$/.test(name) || notLoaded.test(name)) continue;
    const said = bytes.length > maxRead ? unread : javaScriptNames(bytes.toString('utf8'));
    for (const bare of said.bare) names.add(bare);
    isComputed ||= said.isComputed;
    const paths = said.paths.filter((one) => one.startsWith('.')).map((one) => resolve(dirname(path), one));
    for (const one of paths) if (isBeyond(folder, one)) beyond.add(one);
  }
  return { sha256: hash.digest('hex'), names: [...names], beyond: [...beyond], isComputed };
}

/** Whether a path is outside the package. Packages installed inside it count as outside. */
function isBeyond(folder: string, path: string): boolean {
  const inner = relative(folder, path).split(sep);
  return inner[0] === '..' || inner.includes('node_modules');
}

function dependenciesOf(file: string): readonly string[] {
  try {
    const content = JSON.parse(readRegularText(file)) as Readonly<Record<string, object | undefined>>;
    return ['dependencies', 'optionalDependencies', 'peerDependencies'].flatMap((key) =>
      Object.keys(content[key] ?? {}),
    );
  } catch {
    // Missing or unreadable.
    return [];
  }
}

interface Walk {
  readonly root: string;
  /** Names of folders. */
  readonly leftOut: readonly string[];
  readonly counts: (name: string) => boolean;
  readonly found: Entry[];
  bytes: bigint;
}

function entriesIn(walk: Walk, folder: string, depth: number): readonly Entry[] {
  const { root, leftOut, counts, found } = walk;
  if (depth > maxDepth) throw new Error(`${root} is nested too deeply`);
  for (const entry of readdirSync(folder, { withFileTypes: true }).sort((a, b) =>
    a.name < b.name ? -1 : 1,
  )) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!leftOut.includes(entry.name)) entriesIn(walk, path, depth + 1);
      continue;
    }
    if (!counts(entry.name)) continue;
    if (!entry.isFile() && !entry.isSymbolicLink()) throw new Error(`${path} is neither a file nor a folder`);
    const stats = lstatSync(path, { bigint: true });
    walk.bytes += stats.size;
    found.push({ path, name: relative(root, path), stats });
    if (found.length > maxFiles) throw new Error(`${root} contains more than ${String(maxFiles)} files`);
    if (walk.bytes > BigInt(maxBytes)) throw new Error(`${root} contains more than 1 GiB`);
  }
  return found;
}
