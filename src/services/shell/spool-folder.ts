import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, unlink, writeFile } from 'node:fs/promises';
import { messageOf } from '../../lib/error-message.js';
import { type Folder, openFolder } from './folder.js';

/**
 * `.tidegate/output` of a workspace root: holds output that did not fit into a result, for `Read` by the same
 * principal.
 */
export interface SpoolFolders {
  of(name: string): SpoolFolder;
  /** Removes files that are too old or exceed the total size. */
  sweep(): Promise<void>;
}

export interface SpoolFolder {
  /** Undefined if no file can be created. The name is relative to the root. */
  create(): Promise<SpoolPlace | undefined>;
}

export interface SpoolPlace {
  readonly name: string;
  readonly handle: FileHandle;
  /** Call once, when the file is written. `isUnwanted`: no result names the file. */
  done(isUnwanted: boolean): Promise<void>;
}

const names = ['.tidegate', 'output'] as const;
const modes = [0o755, 0o700, 0o700];
const filePattern = /^bash-[0-9a-f]{12}\.txt$/;
const ownerPattern = /^(?:[0-9a-f]{16}|own)$/;
const maxAgeMs = 24 * 3600 * 1000;
const maxTotalBytes = 512 * 1024 * 1024;
/** A file written this recently may belong to a command of another gateway. */
const busyMs = 60_000;

export function createSpoolFolders(root: string, log: (line: string) => void): SpoolFolders {
  const active = new Set<string>();
  let swept: Promise<void> | undefined;

  const inFolder = async <Result>(
    path: readonly string[],
    use: (folder: Folder) => Promise<Result>,
  ): Promise<Result | undefined> => {
    try {
      const folder = await openFolder(root, path, modes);
      return await use(folder).finally(() => folder.close());
    } catch (error) {
      log(`Cannot save output in ${root}: ${messageOf(error)}`);
      return undefined;
    }
  };
  const sweepNow = () => inFolder(names, (folder) => sweepFolders(folder, active)).then(() => {});

  return {
    of: (owner) => ({
      async create() {
        // One sweep at a time, and at most one per `busyMs`.
        swept ??= sweepNow().finally(() => setTimeout(() => (swept = undefined), busyMs).unref());
        await swept;
        const path = [...names, owner];
        const name = `bash-${randomHex()}.txt`;
        active.add(name);
        await inFolder(names, ignoreInGit);
        const handle = await inFolder(path, (folder) => createFile(folder, name));
        if (handle === undefined) active.delete(name);
        if (handle === undefined) return undefined;
        return {
          name: [...path, name].join('/'),
          handle,
          done: async (isUnwanted) => {
            active.delete(name);
            await handle.close();
            if (isUnwanted) await inFolder(path, (folder) => unlink(folder.at(name)));
          },
        };
      },
    }),
    sweep: async () => {
      const exists = await lstat(`${root}/${names.join('/')}`).catch(() => undefined);
      if (exists !== undefined) await sweepNow();
    },
  };
}

async function ignoreInGit(folder: Folder): Promise<void> {
  await writeFile(folder.at('.gitignore'), '*\n', { flag: 'wx', mode: 0o600 }).catch(() => {
    // The file exists already.
  });
}

async function createFile(folder: Folder, name: string): Promise<FileHandle> {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  return open(folder.at(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
}

interface SpoolFile {
  readonly path: string;
  readonly age: number;
  readonly bytes: number;
}

async function sweepFolders(folder: Folder, active: ReadonlySet<string>): Promise<void> {
  const owners = (await readdir(folder.at('.'))).filter((name) => ownerPattern.test(name));
  const files = (await Promise.all(['', ...owners].map((owner) => filesOf(folder, owner, active)))).flat();
  let total = 0;
  for (const { path, age, bytes } of files.sort((one, other) => one.age - other.age)) {
    total += bytes;
    const isTooMuch = total > maxTotalBytes && age > busyMs;
    if (isTooMuch || age > maxAgeMs) await unlink(folder.at(path)).catch(() => {});
  }
}

/** The files of one principal or, without a name, those that older versions kept for all. */
async function filesOf(
  folder: Folder,
  owner: string,
  active: ReadonlySet<string>,
): Promise<readonly SpoolFile[]> {
  // A link in place of a folder would redirect the sweep.
  const isLink =
    owner !== '' && (await lstat(folder.at(owner)).catch(() => undefined))?.isDirectory() !== true;
  const found = isLink ? [] : await readdir(folder.at(owner === '' ? '.' : owner));
  const files: SpoolFile[] = [];
  for (const name of found.filter((one) => filePattern.test(one) && !active.has(one))) {
    const path = owner === '' ? name : `${owner}/${name}`;
    const stat = await lstat(folder.at(path)).catch(() => undefined);
    if (stat !== undefined) files.push({ path, age: Date.now() - stat.mtimeMs, bytes: stat.size });
  }
  return files;
}

/** Only needs to be unique: the file is created exclusively. */
function randomHex(): string {
  return Math.floor(Math.random() * 2 ** 48)
    .toString(16)
    .padStart(12, '0');
}
