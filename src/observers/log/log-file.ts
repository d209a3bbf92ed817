import { closeSync, constants, fstatSync, mkdirSync, openSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { codeOf } from '../../lib/error-code.js';
import { messageOf } from '../../lib/error-message.js';

/** Why the log file cannot be used. */
export class LogFileError extends Error {
  /** `unsafe`: the path is something other than our log file, and writing could change it. */
  readonly kind: 'unsafe' | 'unwritable';
  constructor(kind: LogFileError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

// Windows lacks the last two, and undefined counts as 0. Without O_NONBLOCK, opening a pipe without a reader
// would hang.
const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
const flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;

/**
 * Opens the file for appending, created with mode 0600. Accepts only a regular file of this user, and follows
 * no link to it or inside a shared folder on the way there.
 */
export function openLogFile(path: string, shared: readonly string[] = []): number {
  if (isLedAway(dirname(path), shared)) throw unsafe(path, 'its folder is reached through a link');
  const fd = openOrRefuse(path);
  const reason = suspicionOf(fstatSync(fd));
  if (reason === undefined) return fd;
  closeSync(fd);
  throw unsafe(path, reason);
}

/** Check this before creating a missing folder, which would follow the link. */
function isLedAway(folder: string, shared: readonly string[]): boolean {
  const root = shared.find((one) => `${folder}${sep}`.startsWith(one.endsWith(sep) ? one : one + sep));
  return root !== undefined && realOf(folder) !== join(realOf(root), relative(root, folder));
}

function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path === dirname(path) ? path : join(realOf(dirname(path)), basename(path));
  }
}

function openOrRefuse(path: string): number {
  try {
    mkdirSync(dirname(path), { recursive: true });
    return openSync(join(realpathSync(dirname(path)), basename(path)), flags, 0o600);
  } catch (error) {
    const code = codeOf(error);
    // The error code for a link differs between systems.
    if (code === 'ELOOP' || code === 'EMLINK') throw unsafe(path, 'it is a link');
    // A pipe without a reader, or a socket.
    if (code === 'ENXIO') throw unsafe(path, 'it is not a regular file');
    const reason = messageOf(error);
    throw new LogFileError('unwritable', `Cannot open the log file ${path}: ${reason}.`);
  }
}

function unsafe(path: string, reason: string): LogFileError {
  return new LogFileError('unsafe', `Refusing to use the log file ${path}: ${reason}.`);
}

function suspicionOf(stats: Stats): string | undefined {
  if (!stats.isFile()) return 'it is not a regular file';
  if (stats.nlink > 1)
    return 'it has a second name (a hard link), so writing to it would change another file';
  const self = process.geteuid?.();
  if (self !== undefined && stats.uid !== self) return 'it belongs to another user';
  return undefined;
}
