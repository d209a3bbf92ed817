import { closeSync, constants, fstatSync, mkdirSync, openSync, realpathSync, type Stats } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';

/** Why lines are not written to the file. */
export class LogFileError extends Error {
  /** `unsafe`: something else stands there, and a line of the log could become part of it. */
  readonly kind: 'unsafe' | 'unwritable';
  constructor(kind: LogFileError['kind'], message: string) {
    super(message);
    this.kind = kind;
  }
}

// Windows lacks the last two; there, undefined counts as 0. Without O_NONBLOCK a pipe without a reader would hold the start.
const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW, O_NONBLOCK } = constants;
const flags = O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK;

/**
 * Opens the file for appending, made for its owner alone (0600). Takes only a regular file of ours, and follows no link to
 * it, nor below a shared folder on the way there.
 */
export function openLogFile(path: string, shared: readonly string[] = []): number {
  if (isLedAway(dirname(path), shared)) throw unsafe(path, 'a link leads to its directory');
  const fd = openOrRefuse(path);
  const reason = suspicionOf(fstatSync(fd));
  if (reason === undefined) return fd;
  closeSync(fd);
  throw unsafe(path, reason);
}

/** Looked at before anything is made: to make a missing folder would follow the link. */
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
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    // Systems differ in what they say of a link.
    if (code === 'ELOOP' || code === 'EMLINK') throw unsafe(path, 'it is a link');
    // A pipe without a reader, or a socket.
    if (code === 'ENXIO') throw unsafe(path, 'it is not a regular file');
    const reason = error instanceof Error ? error.message : String(error);
    throw new LogFileError('unwritable', `The log file ${path} cannot be opened: ${reason}.`);
  }
}

function unsafe(path: string, reason: string): LogFileError {
  return new LogFileError('unsafe', `The log file ${path} is not used: ${reason}.`);
}

function suspicionOf(stats: Stats): string | undefined {
  if (!stats.isFile()) return 'it is not a regular file';
  if (stats.nlink > 1) return 'it has a second name (a hard link), so its lines would change another file';
  const self = process.geteuid?.();
  if (self !== undefined && stats.uid !== self) return 'it belongs to another user';
  return undefined;
}
