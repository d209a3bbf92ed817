import { readFileSync } from 'node:fs';
import type { Tidegate } from '../app/index.js';
import type { Context } from './command.js';

export type ProviderReport = ReturnType<Tidegate['gateway']['status']>[number];

export interface RunningGate {
  readonly url: string;
  readonly pid: number;
  readonly servers: readonly ProviderReport[];
}

const answerMs = 2000;

/** What the `serve` of this user says of its servers; undefined when none runs or answers. */
export async function askRunningGate({ env, signal }: Context): Promise<RunningGate | undefined> {
  const { openState, readToken, runningFile, tokenFile } = await import('../app/index.js');
  const { directory } = openState(env);
  const running = readRunning(runningFile(directory));
  if (running === undefined) return undefined;
  const token = readToken(tokenFile(directory));
  try {
    const response = await fetch(new URL('/api/servers', running.url), {
      headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
      redirect: 'error',
    });
    const { servers } = (await response.json()) as { readonly servers?: readonly ProviderReport[] };
    return response.ok && servers !== undefined ? { ...running, servers } : undefined;
  } catch {
    // A file left behind by a gate that was killed: there is nobody to ask.
    return undefined;
  }
}

function readRunning(file: string): { readonly url: string; readonly pid: number } | undefined {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof value !== 'object' || value === null || !('url' in value) || !('pid' in value))
      return undefined;
    const { url, pid } = value;
    return typeof url === 'string' && URL.canParse(url) && typeof pid === 'number' ? { url, pid } : undefined;
  } catch {
    return undefined;
  }
}
