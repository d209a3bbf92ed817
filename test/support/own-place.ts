/** A gateway whose own files lie where agents work, and principals that look for them. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { tokenCommands } from './client-tokens.js';
import { type HttpGate, openHttpGate, type Place } from './gate.js';
import { runGate } from './run-program.js';
import { openSdkClient, type SdkClient } from './sdk-clients.js';

export interface OwnPlace extends Place {
  readonly workspace: string;
  readonly stateDir: string;
  at(...names: readonly string[]): string;
  /** The operator's token, as it is on disk. */
  token(): string;
}

export interface OwnPlaceOptions {
  /** `inside`: the home folder is the workspace, as after `cd ~`. */
  readonly state: 'inside' | 'outside';
  readonly config?: unknown;
  /** Files of the workspace, by their paths. */
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
}

/** Not below /tmp, which commands do not see as it is. */
export async function openOwnPlace(options: OwnPlaceOptions): Promise<OwnPlace> {
  const directory = realpathSync(mkdtempSync('/var/tmp/tidegate-own-'));
  const workspace = join(directory, 'workspace');
  const home = options.state === 'inside' ? workspace : join(directory, 'home');
  mkdirSync(home, { recursive: true, mode: 0o700 });
  mkdirSync(workspace, { recursive: true });
  const configFile = join(workspace, 'tidegate.yaml');
  const env: Readonly<Record<string, string>> = {
    PATH: process.env['PATH'] ?? '',
    HOME: home,
    ...options.env,
  };
  const stateDir = env['TIDEGATE_HOME'] ?? join(home, '.local', 'state', 'tidegate');
  const run = (...args: readonly string[]) => runGate({ directory, env }, args);
  const place: OwnPlace = {
    directory,
    workspace,
    stateDir,
    configFile,
    env,
    at: (...names) => join(workspace, ...names),
    token: () => readFileSync(join(stateDir, 'token'), 'utf8').trim(),
    write: (config) => writeFileSync(configFile, JSON.stringify(config)),
    run: () => {
      throw new Error('use runGate');
    },
    trust: () => {
      throw new Error('use runGate');
    },
    close: () => rmSync(directory, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }),
  };
  for (const [name, text] of Object.entries({ 'neighbour.txt': 'an ordinary file', ...options.files })) {
    mkdirSync(join(workspace, name, '..'), { recursive: true });
    writeFileSync(join(workspace, name), text);
  }
  place.write(options.config ?? { log: { level: 'info' } });
  const { status, stderr, stdout } = await run('trust', '--yes');
  if (status !== 0) throw new Error(`trust failed: ${stdout}${stderr}`);
  return place;
}

export interface OwnWorld {
  readonly place: OwnPlace;
  readonly gate: HttpGate;
  /** A client of a principal with this profile; of the operator without a name. */
  client(principal?: string, profile?: string): Promise<SdkClient>;
  close(): Promise<void>;
}

/** Serves the place over HTTP, with the official client at the other end. */
export async function serveOwnPlace(place: OwnPlace, ...args: readonly string[]): Promise<OwnWorld> {
  const gate = await openHttpGate(place, ...args);
  const tokens = tokenCommands(place);
  const open: SdkClient[] = [];
  return {
    place,
    gate,
    async client(principal, profile) {
      const token =
        principal === undefined
          ? place.token()
          : (await tokens.create(principal, ...(profile === undefined ? [] : ['--profile', profile]))).secret;
      const kind = { sdk: 'v1', mode: 'legacy', protocol: 'legacy' } as const;
      const client = await openSdkClient({ kind, wire: 'http', place, gate, token, can: [] });
      open.push(client);
      return client;
    },
    async close() {
      await Promise.all(open.map((client) => client.close().catch(() => undefined)));
      await gate.close();
      place.close();
    },
  };
}

/** All the text that a tool answered with, errors too. */
export async function textOf(
  client: SdkClient,
  tool: string,
  args: Readonly<Record<string, unknown>>,
): Promise<string> {
  const { content, structuredContent } = await client.call(tool, args);
  return content.map(({ text }) => text ?? '').join('\n') + JSON.stringify(structuredContent ?? {});
}
