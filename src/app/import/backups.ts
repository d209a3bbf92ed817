import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { withFileLock } from '../../config/index.js';
import { replacePrivateFile, writePrivateFile } from '../../config/private-file.js';
import { hashOf } from './foreign-file.js';

/** What a file of a client was before the gate was put there. */
export interface Backup {
  readonly id: string;
  readonly client: string;
  /** As the client names it. */
  readonly via: string;
  /** With links resolved. */
  readonly file: string;
  /** False: there was no such file, and undoing takes it away. */
  readonly existed: boolean;
  /** SHA-256 of what stood there, and of what we wrote. */
  readonly before: string;
  readonly after: string;
  readonly at: string;
  /** The servers that went and the gate that came, by name. */
  readonly changes: readonly SectionChange[];
}

export interface SectionChange {
  readonly section: readonly string[];
  readonly removed: readonly string[];
  readonly added?: string;
}

/** The oldest make room: nobody undoes what was pointed so many times ago. */
const MOST = 500;

export interface Backups {
  /** Lasts on the disk before it returns: only then the file is replaced. */
  keep(wish: BackupWish): Backup;
  /** The newest first. */
  list(): readonly Backup[];
  read(backup: Backup, which: 'before' | 'after'): Buffer | undefined;
  drop(backup: Backup): void;
  /** What a process that was killed left without a record, or one at work has no record of yet. */
  orphans(): readonly string[];
  /** Removes them: secrets are in them. For whoever holds the lock. */
  sweep(): void;
  /** Keeps a file that would be lost, and says where. */
  setAside(client: string, bytes: Buffer): string;
}

export interface BackupWish {
  readonly client: string;
  readonly via: string;
  readonly file: string;
  readonly before: Buffer | undefined;
  readonly after: string;
  readonly changes: readonly SectionChange[];
}

/** One at a time writes files of clients, and their backups. */
export function withBackupsLock<T>(stateDirectory: string, action: () => T): T {
  return withFileLock(join(stateDirectory, 'import.lock'), action);
}

export function openBackups(stateDirectory: string): Backups {
  const folder = join(stateDirectory, 'backups');
  const pathOf = (id: string, ending: string): string => join(folder, `${id}.${ending}`);
  const list = (): readonly Backup[] =>
    namesIn(folder)
      .flatMap((name) => (name.endsWith('.json') ? (recordAt(join(folder, name)) ?? []) : []))
      .sort((a, b) => (a.id < b.id ? 1 : -1));
  const drop = ({ id }: Backup): void => {
    // The record goes first: bytes without one are only litter.
    for (const ending of ['json', 'before', 'after']) remove(pathOf(id, ending));
  };
  return {
    list,
    drop,
    orphans: () => orphansIn(folder),
    sweep() {
      for (const name of orphansIn(folder)) remove(join(folder, name));
    },
    keep({ client, via, file, before, after, changes }) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const at = new Date().toISOString();
      const id = newId(client, at);
      const old = before ?? Buffer.alloc(0);
      const backup = {
        id,
        client,
        via,
        file,
        existed: before !== undefined,
        before: hashOf(old),
        after: hashOf(after),
        at,
        changes,
      };
      writePrivateFile(pathOf(id, 'before'), old);
      writePrivateFile(pathOf(id, 'after'), Buffer.from(after));
      replacePrivateFile(
        pathOf(id, 'json'),
        `${JSON.stringify({ version: 1, ...backup }, undefined, 2)}\n`,
        () => true,
      );
      // Whoever was stopped for long may find that others took the halves for litter.
      for (const ending of ['before', 'after'])
        if (!existsSync(pathOf(id, ending))) {
          remove(pathOf(id, 'json'));
          throw new Error('the backup was removed while it was written: try again');
        }
      for (const spare of list().slice(MOST)) drop(spare);
      return backup;
    },
    read({ id, before, after }, which) {
      const bytes = bytesAt(pathOf(id, which));
      const wanted = which === 'before' ? before : after;
      return bytes !== undefined && hashOf(bytes) === wanted ? bytes : undefined;
    },
    setAside(client, bytes) {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const path = pathOf(newId(client, new Date().toISOString()), 'replaced');
      writePrivateFile(path, bytes);
      return path;
    },
  };
}

/** Sorts by time; nothing of the file's content or path is in it. */
function newId(client: string, at: string): string {
  return `${at.replaceAll(/[:.]/g, '-')}-${client}-${randomBytes(4).toString('hex')}`;
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    // Nothing was ever kept.
    return [];
  }
}

/** The bytes of a file and the draft of a record, as `keep` and `drop` name them. */
const partShape =
  /^(\d{4}-\d\d-\d\dT[\d-]+Z-[a-z-]+-[0-9a-f]{8})\.(?:before|after|json\.[0-9a-f-]{36}\.draft)$/;

/** The record comes last and goes first: a part without one is of no use to anybody. */
function orphansIn(folder: string): readonly string[] {
  const names = namesIn(folder);
  const all = new Set(names);
  return names.filter((name) => {
    const id = partShape.exec(name)?.[1];
    const isPart = id !== undefined && (name.endsWith('.draft') || !all.has(`${id}.json`));
    return isPart && isOld(join(folder, name));
  });
}

/** No import takes this long, unless the machine slept: what is younger may be at work. */
const workMs = 10 * 60_000;

function isOld(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs > workMs;
}

function recordAt(path: string): Backup | undefined {
  try {
    return recordOf(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    // Half of one is not one; its file was not replaced then.
    return undefined;
  }
}

function recordOf(value: unknown): Backup | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const all = value as Readonly<Record<string, unknown>>;
  const { existed } = all;
  const text = (key: string): string => {
    const found = all[key];
    if (typeof found !== 'string') throw new SyntaxError(key);
    return found;
  };
  if (all['version'] !== 1 || typeof existed !== 'boolean') return undefined;
  const [id, client, via, file] = [text('id'), text('client'), text('via'), text('file')];
  return {
    id,
    client,
    via,
    file,
    existed,
    before: text('before'),
    after: text('after'),
    at: text('at'),
    changes: changesIn(all['changes']),
  };
}

function changesIn(value: unknown): readonly SectionChange[] {
  const isTexts = (list: unknown): list is readonly string[] =>
    Array.isArray(list) && list.every((one) => typeof one === 'string');
  if (!Array.isArray(value)) throw new SyntaxError('changes');
  return value.map((one: Readonly<Record<string, unknown>>) => {
    const { section, removed, added } = one;
    if (!isTexts(section) || !isTexts(removed)) throw new SyntaxError('changes');
    return { section, removed, ...(typeof added === 'string' && { added }) };
  });
}

function bytesAt(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}

function remove(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It is gone already.
  }
}
