import { relative } from 'node:path';
import type { Located, State } from '../../../app/index.js';
import { type Environment, printable, type Problem } from '../../../config/index.js';
import type { ServerStanding } from '../../../config/started/index.js';

/** Servers that run workspace files that are not trusted in their current state. */
export async function untrustedServers(
  { config }: Located,
  { trust }: State,
  env: Environment,
): Promise<readonly ServerStanding[]> {
  const { serverStanding, withLock } = await import('../../../config/started/index.js');
  return config.servers
    .map((server) => serverStanding(server, { config, env, trust }))
    .filter(({ isTrusted }) => !isTrusted)
    .map((standing) => withLock(standing));
}

/**
 * Files that did not change can have new links or other names since they were trusted; and files of a server that the
 * configuration no longer has stay locked as long as there is a record of them.
 */
export async function refreshLocks(
  { config }: Located,
  { trust }: State,
  env: Environment,
  refuse: (problem: Problem | undefined) => void,
): Promise<void> {
  const { recordServer, serverRecordName, serverStanding } = await import('../../../config/started/index.js');
  const { file, servers } = config;
  if (file === undefined) return;
  for (const server of servers) {
    const standing = serverStanding(server, { config, env, trust });
    if (standing.isTrusted) refuse(recordServer(standing, trust));
  }
  const isOf = (record: string, name: string): boolean => {
    const own = serverRecordName(file, name);
    return record === own || record.startsWith(`${own} in `);
  };
  for (const { file: record } of trust.list())
    if (record.startsWith(serverRecordName(file, '')) && !servers.some(({ name }) => isOf(record, name)))
      refuse(trust.forget(record));
}

const mostFiles = 100;

/** For the user to review before deciding. */
export function serverFileLines(servers: readonly ServerStanding[], cwd: string): readonly string[] {
  if (servers.length === 0) return [];
  const short = (file: string): string => printable(relative(cwd, file) || file);
  const lines = servers.flatMap(({ name, files, changed, problem }) => {
    const news = new Set(changed);
    const rows = files.map(({ file }) => `    ${short(file)}${news.has(file) ? '  (new or changed)' : ''}`);
    const gone = changed.filter((file) => !files.some((one) => one.file === file));
    return [
      `  servers.${printable(name)}`,
      ...rows.slice(0, mostFiles),
      ...(rows.length > mostFiles ? [`    and ${String(rows.length - mostFiles)} more`] : []),
      ...gone.map((file) => `    ${short(file)}  (no longer used)`),
      ...(problem === undefined ? [] : [`    Stays untrusted: ${printable(problem)}.`]),
    ];
  });
  return [
    'Runs these workspace files, and refuses to start if one of them changes',
    ...lines,
    '  `**` means everything in a folder. If a server sets `cwd` to its own folder, only that folder counts.',
    '  Files whose names a program computes at run time are not covered.',
    '',
  ];
}
