import { randomBytes } from 'node:crypto';
import { lstat, mkdir, readdir, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { codeOf } from '../../lib/error-code.js';
import { type Holder, ownHolder, stateOf } from '../../lib/process-holder.js';

/**
 * Drafts are temporary files that replace others. Each is noted before it is created, so that none is left
 * behind.
 */
export interface Drafts {
  /** Returns the name of a draft beside the file with that name. */
  begin(folder: string, name: string): Promise<Draft>;
}

export interface Draft {
  readonly name: string;
  /** Call this once the draft is in place or removed. */
  forget(): Promise<void>;
}

const draftName = /^\..*\.tidegate-([0-9a-f]{16})-(\d+)\.tmp$/su;
/** The name identifies the owner, so that it is known even if the gateway dies before writing the content. */
const noteName = /^(\d+)\.(\d*)\.([0-9a-f]+)\.([0-9a-f]{16})-(\d+)$/;
const maxNotes = 10_000;
/** A process on another machine or before a reboot cannot be checked; after this time its drafts are abandoned. */
const foreignAge = 3_600_000;
// A name has at most 255 bytes; our part takes fewer than 60.
const longestStem = 190;

export function createDrafts(stateDir: string): Drafts {
  const notes = join(stateDir, 'drafts');
  const gate = randomBytes(8).toString('hex');
  const holder = ownHolder();
  let count = 0;
  return {
    async begin(folder, name) {
      count += 1;
      const draft = `.${stemOf(name)}.tidegate-${gate}-${count}.tmp`;
      const { pid, startTime, system } = holder;
      const note = join(notes, `${pid}.${startTime}.${system}.${gate}-${count}`);
      await writeNote(note, join(folder, draft));
      return { name: draft, forget: () => rm(note, { force: true }) };
    },
  };
}

/** Removes the drafts of killed gateways and returns their number. */
export async function sweepDrafts(stateDir: string, log: (line: string) => void = () => {}): Promise<number> {
  const notes = join(stateDir, 'drafts');
  const own = ownHolder();
  let swept = 0;
  for (const name of (await namesIn(notes)).slice(0, maxNotes)) {
    try {
      if (await sweepNote(notes, name, own)) swept += 1;
    } catch (error) {
      log(`Cannot remove a temporary file of a gateway that has exited: ${String(error)}`);
    }
  }
  return swept;
}

async function sweepNote(notes: string, name: string, own: Holder): Promise<boolean> {
  const [, pid = '', startTime = '', system = '', gate, count] = noteName.exec(name) ?? [];
  if (gate === undefined) return false;
  const note = join(notes, name);
  const state = stateOf({ pid: Number(pid), startTime, system }, own);
  if (state === 'alive' || (state === 'unknown' && !(await isOlder(note, foreignAge)))) return false;
  const draft = await readFile(note, 'utf8');
  const [, draftGate, draftCount] = draftName.exec(basename(draft)) ?? [];
  const isSwept = draftGate === gate && draftCount === count && (await removeDraft(draft));
  await rm(note, { force: true });
  return isSwept;
}

async function removeDraft(path: string): Promise<boolean> {
  try {
    if (!(await lstat(path)).isFile()) return false;
    await unlink(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT' || codeOf(error) === 'ENOTDIR') return false;
    throw error;
  }
}

async function writeNote(file: string, text: string): Promise<void> {
  const write = (): Promise<void> => writeFile(file, text, { flag: 'wx', mode: 0o600 });
  try {
    await write();
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw error;
    await mkdir(join(file, '..'), { recursive: true, mode: 0o700 });
    await write();
  }
}

/** The start of the name, so that people recognize the file. Never cuts inside a character. */
function stemOf(name: string): string {
  let stem = '';
  for (const character of name) {
    if (Buffer.byteLength(stem + character) > longestStem) break;
    stem += character;
  }
  return stem;
}

async function isOlder(file: string, milliseconds: number): Promise<boolean> {
  return Date.now() - (await lstat(file)).mtimeMs > milliseconds;
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return readdir(folder).catch((error: unknown) => {
    if (codeOf(error) === 'ENOENT') return [];
    throw error;
  });
}
