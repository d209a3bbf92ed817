import { existsSync } from 'node:fs';
import type { ProcessOrder } from '../../ports/processes.js';

/** Says in one sentence what could not be started and what the operator should check. */
export function explainStartFailure(order: ProcessOrder, cause: unknown): Error {
  const name = JSON.stringify(order.command);
  return new Error(`Cannot start ${name} for ${order.owner}: ${explain(order, cause)}`, { cause });
}

function explain(order: ProcessOrder, cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'ENOENT') return explainMissing(order);
  if (code === 'ENOTDIR') return `${JSON.stringify(order.cwd)}, its working directory, is not a directory.`;
  if (code === 'EACCES') return 'no permission; check that it is a file marked executable.';
  if (code === 'ENOEXEC') return 'not a program for this system; check its first line and its architecture.';
  if (code === 'E2BIG') return 'its arguments and environment are too large together.';
  // The system's text repeats the argument, which may hold a secret.
  if (code === 'ERR_INVALID_ARG_VALUE') return 'an argument or a variable contains a NUL character.';
  if (code === 'EMFILE' || code === 'ENFILE' || code === 'EAGAIN') {
    return `the limit on open files or processes has been reached (${code}); close some, or raise it with ulimit.`;
  }
  return cause instanceof Error ? `${cause.message}.` : `${String(cause)}.`;
}

function explainMissing(order: ProcessOrder): string {
  // The system reports the same error for a missing working directory and a missing command.
  if (!existsSync(order.cwd)) return `${JSON.stringify(order.cwd)}, its working directory, does not exist.`;
  if (process.platform === 'win32') {
    return 'command not found; check its spelling and PATH, and start a .cmd script with "cmd" and "/c".';
  }
  if (order.command.includes('/'))
    return 'there is no such file, or the interpreter in its first line is missing.';
  const path = order.env['PATH'];
  if (path === undefined) return 'command not found; its environment sets no PATH, so give the full path.';
  return 'command not found; check that it is installed, its spelling, and the PATH that its env sets.';
}
