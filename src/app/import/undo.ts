import { unlinkSync } from 'node:fs';
import { dirname } from 'node:path';
import { type Client, type ClientPlace, clients } from '../../clients/index.js';
import { type Backup, type Backups, openBackups, withBackupsLock } from './backups.js';
import { differences } from './differences.js';
import { type ForeignFile, readForeign, replaceForeign, withoutLinks } from './foreign-file.js';
import { clientsNamed } from './gather.js';
import { mendedText } from './mend.js';
import { ImportRefused } from './refused.js';

export interface UndoWish {
  readonly stateDirectory: string;
  /** Of these clients; of all where none is named. */
  readonly names: readonly string[];
  readonly place: ClientPlace;
  /** Restores what stood there although the file changed since; what stands there now is kept aside. */
  readonly isForced: boolean;
  /** Puts the servers back into the file as it is now: what the client wrote since stays. */
  readonly isMending: boolean;
  readonly isDry: boolean;
}

export interface Undone {
  readonly client: string;
  readonly file: string;
  readonly what: 'restored' | 'mended' | 'removed' | 'unchanged';
  /** Where the file that was replaced is kept. */
  readonly keptAs?: string;
  /** How many earlier ones there are for this file. */
  readonly earlier: number;
}

/** Puts back, byte by byte, what the newest import replaced in each file. All of them, or none. */
export function undoImport(wish: UndoWish): readonly Undone[] {
  const backups = openBackups(wish.stateDirectory);
  const steps = (): readonly Step[] => newestOf(backups, wish).map((backup) => stepOf(backup, backups, wish));
  if (wish.isDry) return steps().map((step) => told(step, backups));
  return withBackupsLock(wish.stateDirectory, () => {
    backups.sweep();
    return steps().map((step) => done(step, backups));
  });
}

/** Only what belongs to the user or to this project: nobody means the files of another. */
export function newestOf(
  backups: Backups,
  { names, place }: Pick<UndoWish, 'names' | 'place'>,
): readonly Backup[] {
  const chosen = clientsNamed(names) ?? [];
  const files = new Set(chosen.flatMap((client) => client.files(place).map(({ path }) => path)));
  const seen = new Set<string>();
  return backups.list().filter(({ file, via }) => {
    if (!files.has(via) || seen.has(file)) return false;
    seen.add(file);
    return true;
  });
}

interface Step {
  readonly backup: Backup;
  readonly bytes: Buffer;
  readonly now: ForeignFile | undefined;
  readonly what: Undone['what'];
}

/** Decides before anything is written. */
function stepOf(backup: Backup, backups: Backups, { isForced, isMending }: UndoWish): Step {
  const bytes = backups.read(backup, 'before');
  if (bytes === undefined) {
    const message = `The backup of ${backup.file} is not what was kept.`;
    throw new ImportRefused('import.not_undoable', message, 'look into the backups of the state folder');
  }
  assertSamePlace(backup);
  const now = readForeign(backup.file);
  const isAsBefore = backup.existed ? now?.sha256 === backup.before : now === undefined;
  if (isAsBefore) return { backup, bytes, now, what: 'unchanged' };
  const isChanged = now?.sha256 !== backup.after;
  if (isChanged && isMending && now !== undefined) {
    const text = mendedText(formatOf(backup), now.text, bytes.toString('utf8'), backup.changes);
    if (text !== undefined) return { backup, bytes: Buffer.from(text), now, what: 'mended' };
  }
  if (isChanged && !isForced) throw changedSince(backup, now, backups);
  return { backup, bytes, now, what: backup.existed ? 'restored' : 'removed' };
}

/** Whoever can put a link on the way would choose which file is written: not even `--force` follows one. */
function assertSamePlace({ file }: Backup): void {
  const place = withoutLinks(file);
  if (place === file) return;
  const message = `${file} leads to ${place} by a link that was not there when the gate was put there; nothing was restored.`;
  throw new ImportRefused('import.moved', message, `ls -ld ${file} ${dirname(file)}`);
}

function formatOf({ client }: Backup): Client['format'] {
  const found = clients.find(({ name }) => name === client);
  if (found === undefined) throw new Error(`a backup of an unknown client: ${client}`);
  return found.format;
}

function changedSince(backup: Backup, now: ForeignFile | undefined, backups: Backups): ImportRefused {
  const written = backups.read(backup, 'after');
  const lines =
    written === undefined || now === undefined
      ? ['the file is gone']
      : differences(formatOf(backup), written.toString('utf8'), now.text);
  const message = `${backup.file} changed since the gate was put there; nothing was restored.`;
  // Into a file that is gone nothing can be put back: it is made anew.
  const how = now === undefined ? '--force' : '--keep-changes';
  return new ImportRefused(
    'import.changed',
    message,
    `tidegate import ${backup.client} --undo ${how}`,
    lines,
  );
}

function done(step: Step, backups: Backups): Undone {
  const { backup, bytes, now, what } = step;
  // Once more: the steps before this one took their time.
  assertSamePlace(backup);
  const isLost = now !== undefined && what !== 'unchanged' && now.sha256 !== backup.after;
  const keptAs = isLost ? backups.setAside(backup.client, now.bytes) : undefined;
  if (what === 'restored' || what === 'mended') replaceForeign(backup.file, bytes, 0o600);
  if (what === 'removed') unlinkSync(backup.file);
  backups.drop(backup);
  return { ...told(step, backups), ...(keptAs !== undefined && { keptAs }) };
}

function told({ backup, what }: Step, backups: Backups): Undone {
  const { client, file, id } = backup;
  const earlier = backups.list().filter((one) => one.file === file && one.id !== id).length;
  return { client, file, what, earlier };
}
