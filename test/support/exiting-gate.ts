import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openPlace, type Place, program, spawnStdioGate } from './gate.js';
import { markedServer, nodeServer } from './hostile-servers.js';
import { modernHeaders, openHttpClient } from './http-client.js';
import { envelope, openLineClient, requestLine } from './line-client.js';
import { findMarked } from './proc.js';

export type Mode = 'mcp' | 'serve';

const shellServer = fileURLToPath(new URL('../fixtures/servers/exit-server.sh', import.meta.url));
export const serverNames = ['polite', 'stubborn', 'deaf', 'setsid', 'fork'] as const;

/** A folder whose servers, except one, do not end when they should. Its name marks all that stems from it. */
export function openExitPlace(): Place & { readonly mark: string } {
  const shell = (how: string): object => ({ command: '/bin/sh', args: [shellServer, how, asName(how)] });
  const servers = {
    polite: markedServer(asName('polite')),
    stubborn: nodeServer('exit-server.mjs', asName('stubborn')),
    deaf: shell('deaf'),
    setsid: shell('setsid'),
    fork: shell('fork'),
  };
  const legacy = Object.entries(servers).map(([name, entry]) => [name, { ...entry, protocol: 'legacy' }]);
  const config = { servers: Object.fromEntries(legacy), http: { auth: 'none' }, log: { level: 'error' } };
  const place = openPlace(config);
  return { ...place, mark: basename(place.directory) };
}

const asName = (name: string): string => `--as=${name}`;

/** Which of the five servers run now, by their own arguments. */
export function runningServers(mark: string): readonly string[] {
  const lines = findMarked(mark).map((pid) => readCommandLine(pid));
  return serverNames.filter((name) => lines.some((line) => line.includes(asName(name))));
}

/** The gate's reaper: it says itself whose it is. */
export function findReaper(mark: string): number | undefined {
  return findMarked(mark).find((pid) => readCommandLine(pid).includes('tidegate-reaper'));
}

function readCommandLine(pid: number): string {
  try {
    return readFileSync(`/proc/${String(pid)}/cmdline`, 'latin1');
  } catch {
    // Gone meanwhile.
    return '';
  }
}

/** A gate with work to do: each server is called, and keeps one call unanswered. */
export interface BusyGate {
  readonly child: ChildProcessWithoutNullStreams;
  /** Resolves when every server has answered, or with false when the gate is gone. */
  readonly busy: Promise<boolean>;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: string | null }>;
  stderr(): string;
}

export function openBusyGate(place: Place, mode: Mode): BusyGate {
  const child = mode === 'mcp' ? spawnStdioGate(place) : spawnServe(place);
  let said = '';
  child.stderr.on('data', (part: Buffer) => (said = (said + part.toString()).slice(-5000)));
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('exit', (code, signal) => resolve({ code, signal }));
  });
  const work = mode === 'mcp' ? workOverLines(child) : workOverHttp(child);
  const busy = Promise.race([work.then(() => true), ended.then(() => false)]).catch(() => false);
  return { child, busy, ended, stderr: () => said };
}

function spawnServe(place: Place): ChildProcessWithoutNullStreams {
  const args = [program, 'serve', '--config', place.configFile, '--port', '0', '--json'];
  return spawn(process.execPath, args, {
    cwd: join(place.directory, 'workspace'),
    env: place.env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

async function workOverLines(child: ChildProcessWithoutNullStreams): Promise<void> {
  const client = openLineClient(child);
  await client.initialize();
  await client.request('tools/list', undefined, 30_000);
  const call = (name: string, tool: string) =>
    client.request('tools/call', { name: `${name}_${tool}`, arguments: { mark: 'm' } }, 30_000);
  await Promise.all(serverNames.map((name) => call(name, 'echo')));
  for (const name of serverNames) call(name, 'wait').catch(() => undefined);
}

async function workOverHttp(child: ChildProcessWithoutNullStreams): Promise<void> {
  let said = '';
  const base = await new Promise<string>((resolve) => {
    child.stdout.on('data', (part: Buffer) => {
      said += part.toString();
      const url = /"url":\s*"([^"]+)\/mcp"/.exec(said)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
  const client = openHttpClient(base);
  child.once('exit', () => client.close());
  const send = (method: string, params: object, name?: string) =>
    client.send('/mcp', requestLine('1', method, { ...params, _meta: envelope() }), {
      headers: modernHeaders(method, name),
      limitMs: 30_000,
    });
  const call = (tool: string) => send('tools/call', { name: tool, arguments: { mark: 'm' } }, tool);
  await send('tools/list', {});
  await Promise.all(serverNames.map((name) => call(`${name}_echo`)));
  for (const name of serverNames) call(`${name}_wait`).catch(() => undefined);
}

/** Every file of the state directory, by its path in there. */
export function stateFiles(place: Place): readonly string[] {
  const state = place.env['TIDEGATE_HOME'] ?? '';
  return readdirSync(state, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(state, join(entry.parentPath, entry.name)));
}
