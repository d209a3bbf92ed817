import { isAbsolute, join, resolve } from 'node:path';
import type { ClientServer, ServerStart } from '../../clients/index.js';

/** A server entry in tidegate.yaml. */
export type ServerEntry = Readonly<Record<string, unknown>>;

/** Source and target folder; relative paths must keep their meaning. */
export interface Move {
  /** The folder in which the client starts the server; undefined if it varies. */
  readonly from: string | undefined;
  /** The folder of tidegate.yaml. */
  readonly to: string;
}

export function entryOf(server: ClientServer, start: ServerStart, move: Move): ServerEntry {
  const { tools, timeoutMs, isEnabled } = server;
  return {
    ...(start.kind === 'http' ? httpEntry(start) : stdioEntry(start, move)),
    ...(tools && { tools }),
    ...(timeoutMs !== undefined && { timeout: `${String(timeoutMs)}ms` }),
    ...(!isEnabled && { enabled: false }),
  };
}

function httpEntry({ url, headers }: Extract<ServerStart, { kind: 'http' }>): ServerEntry {
  return { url, ...(Object.keys(headers).length > 0 && { headers }) };
}

function stdioEntry(start: Extract<ServerStart, { kind: 'stdio' }>, { from, to }: Move): ServerEntry {
  const { command, args, env, cwd } = start;
  const isMoved = from !== undefined && resolve(from) !== resolve(to);
  const folder = cwd === undefined ? from : isRooted(cwd) ? cwd : join(from ?? '', cwd);
  const isPath = /[\\/]/.test(command) && !isRooted(command);
  return {
    command: isMoved && isPath ? join(from, command) : command,
    ...(args.length > 0 && { args }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(folder !== undefined && (cwd !== undefined || isMoved) && { cwd: folder }),
  };
}

/** Also `~/` and paths that begin with a variable, which may be absolute. */
function isRooted(path: string): boolean {
  return isAbsolute(path) || path.startsWith('~') || path.startsWith('${') || /^[A-Za-z]:[\\/]/.test(path);
}
