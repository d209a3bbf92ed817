import { basename, delimiter, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { messageOf } from '../../lib/error-message.js';
import type { Config, ServerConfig } from '../config.js';
import { childEnvironment } from '../environment.js';
import type { Problem } from '../problem.js';
import type { Environment } from '../substitute.js';
import type { Trust } from '../trust.js';
import type { TrustRecord } from '../trust-file.js';
import { changedFiles, type CoveredFile, digestOfCover } from './covered.js';
import { coverStart } from './cover-start.js';
import type { Guards } from './guards.js';
import { lockRecordOf } from './lock-record.js';
import { serverRecordName } from './record-names.js';
import { realOf } from './workspace-paths.js';

/** The workspace files that would run with a server, and whether they are the trusted ones. */
export interface ServerStanding {
  readonly name: string;
  readonly files: readonly CoveredFile[];
  readonly guards?: Guards;
  /** Folders that agents can write to. They are searched for hard links to the files. */
  readonly grounds?: readonly string[];
  /** See `withLock`. */
  readonly lock?: Pick<TrustRecord, 'covers' | 'guards'>;
  /** Files that differ from what was trusted: changed, added or removed. */
  readonly changed: readonly string[];
  /** The added ones. */
  readonly added: readonly string[];
  readonly isTrusted: boolean;
  /** Why its files cannot all be trusted. */
  readonly problem?: string;
  /** The trust record to write; absent if there is nothing to record. Without a hash, an earlier record is deleted. */
  readonly record?: { readonly file: string; readonly sha256: string | undefined };
}

export interface StandingPlace {
  readonly config: Pick<Config, 'file' | 'workspace'> & { readonly shell: Pick<Config['shell'], 'writable'> };
  readonly env: Environment;
  readonly trust: Trust;
}

/** The operator's own file applies to every workspace, and each workspace has other files. */
function recordNameIn(configFile: string, name: string, roots: readonly string[]): string {
  const own = serverRecordName(configFile, name);
  return roots.some((root) => configFile.startsWith(`${root}${sep}`))
    ? own
    : `${own} in ${roots.join(delimiter)}`;
}

export function serverStanding(server: ServerConfig, { config, env, trust }: StandingPlace): ServerStanding {
  const { name } = server;
  if (server.kind === 'http' || config.file === undefined)
    return { name, files: [], changed: [], added: [], isTrusted: true };
  const { command, args, cwd } = server;
  const path = childEnvironment(env, server.env)['PATH'];
  const grounds = [...config.workspace.roots, ...config.shell.writable];
  const { files, guards, problem } = coverStart({ command, args, cwd, env: server.env, path }, grounds);
  const sha256 = digestOfCover({ files });
  const file = recordNameIn(config.file, name, config.workspace.roots);
  const before = trust.list().find((record) => record.file === file);
  // If there are no files now and there were none when it was trusted, agents can't change anything.
  const isTrusted = problem === undefined && before?.sha256 === sha256;
  const covers = before?.covers ?? {};
  const changed = isTrusted ? [] : changedFiles(covers, files);
  return {
    name,
    files,
    guards,
    grounds: grounds.map(realOf),
    changed,
    added: changed.filter((one) => covers[one] === undefined),
    isTrusted,
    ...(problem !== undefined && { problem }),
    ...((sha256 ?? before) !== undefined && { record: { file, sha256 } }),
  };
}

/** Why a server must not start with its current files, as a sentence with the next step. Undefined if it may start. */
export function serverRefusal(server: ServerConfig, place: StandingPlace): string | undefined {
  const { isTrusted, changed, added, problem } = serverStanding(server, place);
  if (isTrusted) return undefined;
  if (problem !== undefined) return `its files cannot be trusted as a whole: ${problem}. ${ownFolder}`;
  const first = changed.find((one) => !isWhole(one)) ?? changed[0];
  const rest = changed.slice(1);
  const more = rest.length === 0 ? '' : ` and ${String(rest.length)} more`;
  const how =
    first === undefined ? 'one is gone' : `${first}${added.includes(first) ? ' is new' : ' changed'}`;
  const hint = first !== undefined && isWhole(first) ? `. ${ownFolder}` : '';
  return `files that it runs are not what was trusted: ${how}${more}. Read them, then run \`tidegate trust\`${hint}`;
}

const ownFolder = 'Give the server its own folder with `cwd`: then only that folder counts';

/** `folder/**`. */
function isWhole(name: string): boolean {
  return basename(name) === '**';
}

/**
 * The same, with the paths that its record would lock. If hard links to its files can't be found reliably, it can't be
 * trusted.
 */
export function withLock(standing: ServerStanding, limit?: number): ServerStanding {
  const { files, guards = noGuards, grounds = [], problem } = standing;
  if (problem !== undefined) return standing;
  try {
    return { ...standing, lock: lockRecordOf({ files, guards }, grounds, limit) };
  } catch (error) {
    return { ...standing, problem: messageOf(error) };
  }
}

/** Records the files of a server as trusted. Records nothing if they cannot all be trusted. */
export function recordServer(standing: ServerStanding, trust: Trust): Problem | undefined {
  const { record, problem, lock } = standing.lock === undefined ? withLock(standing) : standing;
  if (record === undefined || problem !== undefined) return undefined;
  if (record.sha256 === undefined) return trust.forget(record.file);
  const before = trust.list().find(({ file }) => file === record.file);
  if (before?.sha256 === record.sha256 && isDeepStrictEqual(before.guards, lock?.guards)) return undefined;
  return trust.record(record.file, record.sha256, lock);
}

const noGuards: Guards = { fixed: [], absent: [] };
