import { accessSync, constants, existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Files, PortService, Readiness, Session } from '../../kernel/index.js';
import { defenceOf } from './defence.js';
import type { Desk } from './desk.js';
import { createDrafts, sweepDrafts } from './drafts.js';
import { editFile } from './edit-file.js';
import { createKnown } from './known.js';
import { createLocks } from './lock.js';
import { readBytes, readFile, statFile } from './read-file.js';
import { createRoots } from './roots.js';
import { writeFile } from './write-file.js';

export interface FilesParts {
  readonly roots: readonly string[];
  /** Where drafts and locks are noted. All gates of one user share it. */
  readonly stateDir: string;
  readonly log?: (line: string) => void;
}

/** The files of a workspace. Throws when a root does not exist. */
export function openFiles(parts: FilesParts): PortService<Files> {
  const { stateDir, log = () => {} } = parts;
  const roots = createRoots(parts.roots);
  const locks = createLocks({ directory: join(stateDir, 'locks') });
  const desk: Omit<Desk, 'session'> = {
    ground: { open: defenceOf().open, roots },
    known: createKnown(),
    locks,
    drafts: createDrafts(stateDir),
    stateDir: existsSync(stateDir) ? realpathSync.native(stateDir) : stateDir,
  };
  const sweeping = Promise.all([sweepDrafts(stateDir, log), locks.sweep()]).catch((error: unknown) => {
    log(`What dead gates left could not be swept: ${String(error)}`);
  });
  return {
    readiness,
    serve: (session) => filesFor(session, desk),
    async close() {
      await sweeping;
    },
  };
}

/** On Linux there is no second best: without /proc nothing can be checked, so nothing is done. */
function readiness(): Readiness {
  if (process.platform !== 'linux') return { state: 'ready' };
  try {
    accessSync('/proc/self/fd', constants.R_OK);
    return { state: 'ready' };
  } catch {
    const reason = '/proc is not mounted, and without it no path can be checked';
    return { state: 'unavailable', reason, suggestion: 'Ask the operator to mount /proc.' };
  }
}

function filesFor({ id }: Session, shared: Omit<Desk, 'session'>): Files {
  const desk: Desk = { ...shared, session: id };
  return {
    roots: shared.ground.roots.all,
    stat: (path) => statFile(path, desk),
    read: (path, window = {}) => readFile(path, window, desk),
    readBytes: (path, range = {}) => readBytes(path, range, desk),
    write: (path, text, options = {}) => writeFile(path, text, options, desk),
    edit: (path, edits, options = {}) => editFile(path, edits, options, desk),
  };
}
