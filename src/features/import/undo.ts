import { unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { shellWord } from '../../lib/shell-word.js';
import { type Client, type ClientPlace, clients } from '../../clients/index.js';
import {
  type Backup,
  type Backups,
  openBackups,
  withBackupsLock,
} from '../../workspace/client-files/backups.js';
import { differences } from './differences.js';
import {
  type ForeignFile,
  readForeign,
  replaceForeign,
  withoutLinks,
} from '../../workspace/client-files/foreign-file.js';
import { newestOf } from '../../workspace/client-files/newest-backups.js';
import { repairedText } from './repair.js';
import { ImportRefused } from '../../workspace/client-files/refused.js';

export interface UndoOptions {
  readonly stateDirectory: string;
  /** The clients to restore; all if empty. */
  readonly names: readonly string[];
  readonly place: ClientPlace;
  /** Restores the backup even if the file changed since; the current file is saved first. */
  readonly isForced: boolean;
  /** Puts the servers back into the current file; the client's later changes stay. */
  readonly keepsChanges: boolean;
  readonly isDry: boolean;
}

export interface Undone {
  readonly client: string;
  readonly file: string;
  readonly what: 'restored' | 'merged' | 'removed' | 'unchanged';
  /** Where the replaced file was saved. */
  readonly keptAs?: string;
  /** Number of older backups of this file. */
  readonly earlier: number;
}

/** Restores, byte for byte, what the newest import replaced in each file. All checks run before the first write. */
export function undoImport(options: UndoOptions): readonly Undone[] {
  const backups = openBackups(options.stateDirectory);
  const steps = (): readonly Step[] =>
    newestOf(backups, options).map((backup) => stepOf(backup, backups, options));
  if (options.isDry) return steps().map((step) => describeStep(step, backups));
  return withBackupsLock(options.stateDirectory, () => {
    backups.sweep();
    return steps().map((step) => done(step, backups));
  });
}

interface Step {
  readonly backup: Backup;
  readonly bytes: Buffer;
  readonly now: ForeignFile | undefined;
  readonly what: Undone['what'];
}

/** Decides what to do before anything is written. */
function stepOf(backup: Backup, backups: Backups, { isForced, keepsChanges }: UndoOptions): Step {
  const bytes = backups.read(backup, 'before');
  if (bytes === undefined) {
    const message = `The backup of ${backup.file} is damaged: it does not match its recorded hash.`;
    throw new ImportRefused(
      'import.not_undoable',
      message,
      'look in the backups folder of the state directory',
    );
  }
  assertSamePlace(backup);
  const now = readForeign(backup.file);
  const isAsBefore = backup.existed ? now?.sha256 === backup.before : now === undefined;
  if (isAsBefore) return { backup, bytes, now, what: 'unchanged' };
  const isChanged = now?.sha256 !== backup.after;
  if (isChanged && keepsChanges && now !== undefined) {
    const text = repairedText(formatOf(backup), now.text, bytes.toString('utf8'), backup.changes);
    if (text !== undefined) return { backup, bytes: Buffer.from(text), now, what: 'merged' };
  }
  if (isChanged && !isForced) throw changedSince(backup, now, backups);
  return { backup, bytes, now, what: backup.existed ? 'restored' : 'removed' };
}

/** A planted link would decide which file is written, so not even `--force` follows one. */
function assertSamePlace({ file }: Backup): void {
  const place = withoutLinks(file);
  if (place === file) return;
  const message = `${file} now resolves to ${place} through a link that did not exist when Tidegate was added. Nothing was restored.`;
  throw new ImportRefused('import.moved', message, `ls -ld ${shellWord(file)} ${shellWord(dirname(file))}`);
}

function formatOf({ client }: Backup): Client['format'] {
  const found = clients.find(({ name }) => name === client);
  if (found === undefined) throw new Error(`backup of an unknown client: ${client}`);
  return found.format;
}

function changedSince(backup: Backup, now: ForeignFile | undefined, backups: Backups): ImportRefused {
  const written = backups.read(backup, 'after');
  const lines =
    written === undefined || now === undefined
      ? ['the file was deleted']
      : differences(formatOf(backup), written.toString('utf8'), now.text);
  const message = `${backup.file} changed after Tidegate was added to it. Nothing was restored.`;
  // A deleted file has no changes to keep, so it can only be created again.
  const how = now === undefined ? '--force' : '--keep-changes';
  return new ImportRefused(
    'import.changed',
    message,
    `tidegate import ${shellWord(backup.client)} --undo ${how}`,
    lines,
  );
}

function done(step: Step, backups: Backups): Undone {
  const { backup, bytes, now, what } = step;
  // Check again: the earlier steps took time.
  assertSamePlace(backup);
  const isLost = now !== undefined && what !== 'unchanged' && now.sha256 !== backup.after;
  const keptAs = isLost ? backups.setAside(backup.client, now.bytes) : undefined;
  if (what === 'restored' || what === 'merged') replaceForeign(backup.file, bytes, 0o600);
  if (what === 'removed') unlinkSync(backup.file);
  backups.drop(backup);
  return { ...describeStep(step, backups), ...(keptAs !== undefined && { keptAs }) };
}

function describeStep({ backup, what }: Step, backups: Backups): Undone {
  const { client, file, id } = backup;
  const earlier = backups.list().filter((one) => one.file === file && one.id !== id).length;
  return { client, file, what, earlier };
}
