import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { shareOwner, ToolFailure } from '../../core/index.js';
import { createSlots } from '../../lib/slots.js';
import type { Files } from '../../ports/files.js';
import type { PortService, Readiness } from '../../ports/tool-ports.js';
import { noOwnPaths, type OwnPaths, type OwnView } from '../../ports/own-paths.js';
import { defenceOf } from './defence.js';
import type { FileContext } from './file-service.js';
import { createDrafts, sweepDrafts } from './drafts.js';
import { editFile } from './edit-file.js';
import { createKnown } from './known.js';
import { createLocks } from './lock.js';
import { openButOwn } from './opened.js';
import { readBytes, readFile, statFile } from './read-file.js';
import { createRoots } from './roots.js';
import { writeFile } from './write-file.js';

export interface FilesParts {
  readonly roots: readonly string[];
  /** Holds notes of drafts and locks. All gateways of one user share it. */
  readonly stateDir: string;
  /**
   * Whether git, as configured now, would run a file or act on its content. Absent: only the
   * table counts.
   */
  readonly isRunByGit?: (path: string) => boolean;
  /** Tidegate's own files. Absent: none. */
  readonly own?: OwnPaths;
  readonly log?: (line: string) => void;
}

/** More calls would only wait for each other, because few threads serve files. */
const maxAtATime = 8;
const waitingEach = 2048;
const waitMs = 60_000;

/** The files of a workspace. Throws if a root does not exist. */
export function openFiles(parts: FilesParts): PortService<Files> {
  const { stateDir, own = noOwnPaths, isRunByGit = () => false, log = () => {} } = parts;
  const roots = createRoots(parts.roots);
  const locks = createLocks({ directory: join(stateDir, 'locks') });
  const context: SharedContext = {
    ground: { open: defenceOf().open, roots },
    known: createKnown(),
    locks,
    drafts: createDrafts(stateDir),
    isRunByGit,
  };
  const slots = createSlots({ count: maxAtATime, waitMs, waitingEach, tooMany });
  const sweeping = Promise.all([sweepDrafts(stateDir, log), locks.sweep()]).catch((error: unknown) => {
    log(`Cannot clean up after gateways that have exited: ${String(error)}`);
  });
  return {
    readiness,
    serve: (session) => {
      const owner = shareOwner(session);
      const files = filesFor(session.id, own.viewOf(session), context);
      return inTurn(files, (work) => slots.use(owner, work));
    },
    async close() {
      await sweeping;
    },
  };
}

/** Linux has no fallback: without /proc nothing can be checked, so every call is refused. */
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

type SharedContext = Omit<FileContext, 'session' | 'own'>;

function filesFor(session: string, own: OwnView, shared: SharedContext): Files {
  const ground = { ...shared.ground, open: openButOwn(shared.ground.open, own) };
  const context: FileContext = { ...shared, ground, own, session };
  return {
    roots: shared.ground.roots.all,
    stat: (path) => statFile(path, context),
    read: (path, window = {}) => readFile(path, window, context),
    readBytes: (path, range = {}) => readBytes(path, range, context),
    write: (path, text, options = {}) => writeFile(path, text, options, context),
    edit: (path, edits, options = {}) => editFile(path, edits, options, context),
  };
}

/** Limits each owner separately, so that one owner's calls do not wait behind all of another's. */
function inTurn(files: Files, through: <T>(work: () => Promise<T>) => Promise<T>): Files {
  return {
    roots: files.roots,
    stat: (path) => through(() => files.stat(path)),
    read: (path, window) => through(() => files.read(path, window)),
    readBytes: (path, range) => through(() => files.readBytes(path, range)),
    write: (path, text, options) => through(() => files.write(path, text, options)),
    edit: (path, edits, options) => through(() => files.edit(path, edits, options)),
  };
}

function tooMany(): ToolFailure {
  return new ToolFailure('bad_state', 'Too many files are being read or written, so this call did nothing.', {
    reason: 'too_many_file_calls',
    suggestion: 'Wait for your other calls to finish, then call again.',
    retryable: true,
  });
}
