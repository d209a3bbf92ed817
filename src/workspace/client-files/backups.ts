import { randomBytes } from 'node:crypto';
import { existsSync, lstatSync, mkdirSync, readFileSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { namesIn } from '../../lib/list-folder.js';
import { withFileLock } from '../../lib/file-lock.js';
import { replacePrivateFile, writePrivateFile } from '../../config/private-file.js';
import { hashOf } from './foreign-file.js';

/** A client file as it was before the gateway was added. */
export interface Backup {
  readonly id: string;
  readonly client: string;
  /** The path as the client names it. */
  readonly via: string;
  /** The path with links resolved. */
  readonly file: string;
  /** False if the file did not exist; undo then deletes it. */
  readonly existed: boolean;
  /** SHA-256 of the old content and of the content we wrote. */
  readonly before: string;
  readonly after: string;
  readonly at: string;
  /** Names of the removed servers and of the added gateway entry. */
  readonly changes: readonly SectionChange[];
}

export interface SectionChange {
  readonly section: readonly string[];
  readonly removed: readonly string[];
  readonly added?: string;
}

/** Older backups are deleted. */
const MOST = 500;

export interface Backups {
  /** Returns only once the backup is on disk; the file is replaced after that. */
  keep(options: BackupOptions): Backup;
  /** Newest first. */
  list(): readonly Backup[];
  read(backup: Backup, which: 'before' | 'after'): Buffer | undefined;
  drop(backup: Backup): void;
  /** Backup parts without a record: left by a killed process, or still being written. */
  orphans(): readonly string[];
  /** Deletes orphans, because they contain secrets. The caller must hold the lock. */
  sweep(): void;
  /** Saves a file that would be lost, and returns its new path. */
  setAside(client: string, bytes: Buffer): string;
}

export interface BackupOptions {
  readonly client: string;
  readonly via: string;
  readonly file: string;
  readonly before: Buffer | undefined;
  readonly after: string;
  readonly changes: readonly SectionChange[];
}

/** Only one process at a time may write client files and backups. */
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
    // Delete the record first: parts without a record are swept later.
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
      // If this process was suspended for long, another one may have swept the parts.
      for (const ending of ['before', 'after'])
        if (!existsSync(pathOf(id, ending))) {
          remove(pathOf(id, 'json'));
          throw new Error('the backup was deleted while it was being written; try again');
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

/** Sorts by time and reveals nothing about the file's content or path. */
function newId(client: string, at: string): string {
  return `${at.replaceAll(/[:.]/g, '-')}-${client}-${randomBytes(4).toString('hex')}`;
}

/** File names of backup parts and record drafts. */
const partShape =
  /^(\d{4}-\d\d-\d\dT[\d-]+Z-[a-z-]+-[0-9a-f]{8})\.(?:before|after|json\.[0-9a-f-]{36}\.draft)$/;

/** The record is written last and deleted first, so a part without a record is useless. */
function orphansIn(folder: string): readonly string[] {
  const names = namesIn(folder);
  const all = new Set(names);
  return names.filter((name) => {
    const id = partShape.exec(name)?.[1];
    const isPart = id !== undefined && (name.endsWith('.draft') || !all.has(`${id}.json`));
    return isPart && isOld(join(folder, name));
  });
}

/** No import takes this long unless the machine slept; younger parts may still be in use. */
const workMs = 10 * 60_000;

function isOld(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && Date.now() - stats.mtimeMs > workMs;
}

function recordAt(path: string): Backup | undefined {
  try {
    return recordOf(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    // An incomplete record means the client file was not replaced.
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
    // Already deleted.
  }
}
