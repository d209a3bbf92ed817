import { constants } from 'node:fs';
import { type FileHandle, lstat, open, readdir, unlink, writeFile } from 'node:fs/promises';
import { type Folder, openFolder } from './folder.js';

/** `.tidegate/output` of a workspace root: what did not fit into a result lies there, for `Read`. */
export interface SpoolFolder {
  /** Undefined when there can be none. The name is relative to the root. */
  create(): Promise<SpoolPlace | undefined>;
  /** Removes what is too old or too much. */
  sweep(): Promise<void>;
}

export interface SpoolPlace {
  readonly name: string;
  readonly handle: FileHandle;
  /** Called once, when the file is written; true when nobody was told of it. */
  done(isUnwanted: boolean): Promise<void>;
}

const names = ['.tidegate', 'output'] as const;
const modes = [0o755, 0o700];
const filePattern = /^bash-[0-9a-f]{12}\.txt$/;
const maxAgeMs = 24 * 3600 * 1000;
const maxTotalBytes = 512 * 1024 * 1024;
/** A file that was written to just now may belong to a command of another gate. */
const busyMs = 60_000;

export function createSpoolFolder(root: string, log: (line: string) => void): SpoolFolder {
  const active = new Set<string>();
  let swept: Promise<void> | undefined;

  const inFolder = async <Result>(use: (folder: Folder) => Promise<Result>): Promise<Result | undefined> => {
    try {
      const folder = await openFolder(root, names, modes);
      return await use(folder).finally(() => folder.close());
    } catch (error) {
      log(`No output is kept in ${root}: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  };
  const sweepNow = () => inFolder((folder) => sweepFolder(folder, active)).then(() => {});

  return {
    async create() {
      // One at a time, and not for each of many commands.
      swept ??= sweepNow().finally(() => setTimeout(() => (swept = undefined), busyMs).unref());
      await swept;
      const name = `bash-${randomHex()}.txt`;
      active.add(name);
      const handle = await inFolder((folder) => createFile(folder, name));
      if (handle === undefined) active.delete(name);
      if (handle === undefined) return undefined;
      return {
        name: [...names, name].join('/'),
        handle,
        done: async (isUnwanted) => {
          active.delete(name);
          await handle.close();
          if (isUnwanted) await inFolder((folder) => unlink(folder.at(name)));
        },
      };
    },
    sweep: async () => {
      const exists = await lstat(`${root}/${names.join('/')}`).catch(() => undefined);
      if (exists !== undefined) await sweepNow();
    },
  };
}

async function createFile(folder: Folder, name: string): Promise<FileHandle> {
  await writeFile(folder.at('.gitignore'), '*\n', { flag: 'wx', mode: 0o600 }).catch(() => {
    // It is there already.
  });
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  return open(folder.at(name), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
}

async function sweepFolder(folder: Folder, active: ReadonlySet<string>): Promise<void> {
  const found = (await readdir(folder.at('.'))).filter((name) => filePattern.test(name) && !active.has(name));
  const files: { readonly name: string; readonly age: number; readonly bytes: number }[] = [];
  for (const name of found) {
    const stat = await lstat(folder.at(name)).catch(() => undefined);
    if (stat !== undefined) files.push({ name, age: Date.now() - stat.mtimeMs, bytes: stat.size });
  }
  let total = 0;
  for (const { name, age, bytes } of files.sort((one, other) => one.age - other.age)) {
    total += bytes;
    const isTooMuch = total > maxTotalBytes && age > busyMs;
    if (isTooMuch || age > maxAgeMs) await unlink(folder.at(name)).catch(() => {});
  }
}

/** Unique is enough: the file is made anew or not at all. */
function randomHex(): string {
  return Math.floor(Math.random() * 2 ** 48)
    .toString(16)
    .padStart(12, '0');
}
