import { existsSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import { type Config, hashedPath, serverRecordName, type TrustRecord } from '../config/index.js';
import type { State } from './locate-config.js';

/** Paths that callers must not change, because trusted programs load code from there. */
export interface LockedPaths {
  /** Files and folders, none inside another. */
  readonly program: readonly string[];
  /** Files and folders that must not be created, or changed if they exist. */
  readonly absent: readonly string[];
}

export interface TrustedFiles {
  locked(config: Config): LockedPaths;
  /** The given paths that are trusted or link to a trusted file. */
  recorded(paths: readonly string[]): readonly string[];
}

/** With more paths than this, whole `node_modules` folders are locked instead. */
const most = 500;
/** A folder with one of these files is a package: its modules are loaded from there, not from its parents. */
const packageMarks = ['package.json', 'pyproject.toml', 'setup.py'] as const;
/** Always protected. */
const protectedFolders = ['.tidegate', '.awf'] as const;
const nothing: LockedPaths = { program: [], absent: [] };

/**
 * The locked paths of all trust records: servers, tools, plugins and workflows of any configuration, if callers can reach
 * their files. Files are compared before they run, but a sandboxed command could replace a file right after the
 * comparison, so callers must not write them.
 */
export function openTrustedFiles({ state }: { readonly state: State }): TrustedFiles {
  let known: { readonly key: string; readonly locked: LockedPaths } | undefined;
  let recorded: { readonly key: string; readonly files: ReadonlySet<string> } | undefined;
  const stamp = () => stampOf(join(state.directory, 'trust.json'));
  const lockedNow: TrustedFiles['locked'] = ({
    file,
    servers,
    workspace: { roots, isLocked },
    shell: { writable },
  }) => {
    if (isLocked === false) return nothing;
    const off = servers.flatMap(({ name, isEnabled }) =>
      isEnabled || file === undefined ? [] : [serverRecordName(file, name)],
    );
    const key = JSON.stringify([stamp(), off, roots, writable]);
    if (known?.key === key) return known.locked;
    const isOff = (record: string) => off.some((name) => record === name || record.startsWith(`${name} in `));
    const records = state.trust.list().filter((record) => !isOff(record.file) && !isGone(record.file));
    known = { key, locked: withFewPaths(lockedBy(records, roots.map(realOr), writable.map(realOr))) };
    return known.locked;
  };
  return {
    locked: lockedNow,
    recorded(paths) {
      const key = stamp();
      if (recorded?.key !== key)
        recorded = { key, files: new Set(state.trust.list().map(({ file }) => file)) };
      const { files } = recorded;
      return paths.filter((path) => files.has(path) || files.has(realOr(path)));
    },
  };
}

function withFewPaths({ program, absent }: LockedPaths): LockedPaths {
  if (program.length <= most) return { program, absent };
  const folders = outermost(program.map(installedWith));
  return { program: folders, absent: absent.filter((path) => !folders.some((one) => isInside(path, one))) };
}

/** Callers cannot remove files in these folders, but can remove a configuration elsewhere while its gateway runs. */
function isGone(record: string): boolean {
  const [file = ''] = record.split('#', 1);
  return protectedFolders.some((name) => file.split(sep).includes(name)) && !existsSync(file);
}

/** The paths that these records lock for commands that can write to the given folders. All paths are real paths. */
export function lockedBy(
  records: readonly TrustRecord[],
  roots: readonly string[],
  writable: readonly string[],
): LockedPaths {
  const writableFolders = [...roots, ...writable];
  const isProtected = (path: string) =>
    roots.some((root) => protectedFolders.some((name) => isInside(path, join(root, name))));
  const isWritable = (path: string) => writableFolders.some((ground) => isInside(path, ground));
  // Never lock a whole workspace.
  const isWork = (path: string) => writableFolders.some((ground) => isInside(ground, path));
  const isLockable = (path: string) => isWritable(path) && !isWork(path) && !isProtected(path);
  const covered = records.flatMap(({ covers = {} }) => Object.keys(covers).flatMap(hashedPath));
  const fixed = [
    ...covered.filter(isWritable).flatMap((path) => withFolder(path, isWork)),
    ...records.flatMap(({ guards }) => guards?.fixed ?? []),
  ].filter(isLockable);
  const program = outermost(fixed);
  const absent = outermost(records.flatMap(({ guards }) => guards?.absent ?? []).filter(isLockable));
  return { program, absent: absent.filter((path) => !program.some((one) => isInside(path, one))) };
}

/** A running program may load a new file from its folder, so the folder is locked too. */
function withFolder(path: string, isWork: (path: string) => boolean): readonly string[] {
  if (path.split(sep).includes('node_modules')) return [path];
  return [path, packageOf(dirname(path), isWork) ?? dirname(path)];
}

function packageOf(folder: string, isWork: (path: string) => boolean): string | undefined {
  if (isWork(folder) || dirname(folder) === folder) return undefined;
  return packageMarks.some((mark) => existsSync(join(folder, mark)))
    ? folder
    : packageOf(dirname(folder), isWork);
}

/** Sorted by name, a folder comes right before its content. */
function outermost(paths: readonly string[]): readonly string[] {
  const kept: string[] = [];
  const key = (path: string) => path.split(sep).join('\0');
  for (const path of [...new Set(paths)].sort((one, other) => (key(one) < key(other) ? -1 : 1))) {
    const last = kept.at(-1);
    if (last === undefined || !isInside(path, last)) kept.push(path);
  }
  return kept;
}

function installedWith(file: string): string {
  const at = file.indexOf(`${sep}node_modules${sep}`);
  return at === -1 ? file : file.slice(0, at + `${sep}node_modules`.length);
}

function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

function realOr(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

function stampOf(file: string): string {
  const stats = statSync(file, { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? '' : [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ');
}
