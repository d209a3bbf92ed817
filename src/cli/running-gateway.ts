import { readFileSync } from 'node:fs';
import { isRecord } from '../lib/is-record.js';
import type { Tidegate } from '../app/index.js';
import { isLoopbackHost } from '../config/index.js';
import type { Context } from './command.js';

export type ProviderReport = ReturnType<Tidegate['gateway']['registry']['status']>[number];

interface Running {
  readonly url: string;
  readonly pid: number;
  /** The real path of its configuration, if it has one. */
  readonly file: string | undefined;
}

export interface RunningGateway extends Running {
  readonly servers: readonly ProviderReport[];
}

const answerMs = 2000;

/** The recorded URL of a running `serve` with this state folder and configuration. */
export async function runningUrl(
  { env }: Pick<Context, 'env'>,
  file: string | undefined,
): Promise<string | undefined> {
  const { openState, runningFile } = await import('../app/index.js');
  const running = readRunning(runningFile(openState(env).directory));
  return running !== undefined && isAlive(running.pid) && running.file === file ? running.url : undefined;
}

/** The servers of the running `serve` of this user and folder; undefined if none runs or answers. */
export async function askRunningGateway(context: Context): Promise<RunningGateway | undefined> {
  const asked = await askRunning(context, '/api/servers');
  if (asked === undefined) return undefined;
  const servers = reportsIn(asked.answer);
  return servers && { ...asked.running, servers };
}

/** The answer of the running `serve` of this user and folder at a path; undefined if none runs or answers. */
export async function askRunning(
  { cwd, env, signal }: Context,
  path: string,
): Promise<{ readonly running: Running; readonly answer: unknown } | undefined> {
  const { governingConfig, openState, readToken, runningFile, tokenFile } = await import('../app/index.js');
  const { directory, trust } = openState(env);
  const running = readRunning(runningFile(directory));
  // The token is sent to this URL. A stale record may name a port that another process uses now.
  if (running === undefined || !isLoopbackHost(new URL(running.url).hostname) || !isAlive(running.pid))
    return undefined;
  const located = await governingConfig({ cwd, env }, trust);
  if (running.file !== (located.file === undefined ? undefined : (located.config.file ?? located.file)))
    return undefined;
  const token = readToken(tokenFile(directory));
  try {
    const response = await fetch(new URL(path, running.url), {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
      redirect: 'error',
    });
    return response.ok ? { running, answer: await response.json() } : undefined;
  } catch {
    // It is shutting down, or is not a gateway.
    return undefined;
  }
}

function readRunning(path: string): Running | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (!isRecord(value)) return undefined;
    const { url, pid, file } = value;
    if (typeof url !== 'string' || !URL.canParse(url) || typeof pid !== 'number') return undefined;
    return file === undefined || typeof file === 'string' ? { url, pid, file } : undefined;
  } catch {
    return undefined;
  }
}

/** Zero and negative numbers address process groups, so reject them. */
function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0) return false;
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function reportsIn(answer: unknown): readonly ProviderReport[] | undefined {
  const servers: unknown = isRecord(answer) ? answer['servers'] : undefined;
  return Array.isArray(servers) && servers.every(isReport) ? servers : undefined;
}

function isReport(value: unknown): value is ProviderReport {
  if (!isRecord(value)) return false;
  const { id, state, tools, restarts, pid, protocolVersion, detail } = value;
  return (
    [id, state].every((text) => typeof text === 'string') &&
    [tools, restarts].every((count) => typeof count === 'number') &&
    (pid === undefined || typeof pid === 'number') &&
    [protocolVersion, detail].every((text) => text === undefined || typeof text === 'string')
  );
}
