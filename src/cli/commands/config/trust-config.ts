import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname } from 'node:path';
import { sha256Of } from '../../../lib/sha256.js';
import {
  loadConfig,
  openSecrets,
  printable,
  type Problem,
  type ServerConfig,
  stateDirectory,
} from '../../../config/index.js';
import type { Located, State } from '../../../app/index.js';
import type { Context } from '../../command.js';
import { Failure } from '../../failure.js';
import { plainKeys, type RiskPlace, riskGroups } from './risk-screen.js';

export interface ConfigRisks {
  /** For the user to review before deciding. */
  readonly lines: readonly string[];
  readonly servers: readonly Readonly<Record<string, unknown>>[];
  readonly keys: readonly Readonly<Record<string, unknown>>[];
}

/**
 * What the operator must know about a file. Values are shown as written, `${NAME:-default}`: values from the environment
 * are not part of what is trusted and may be secret.
 */
export async function configRisks(
  located: Located & { readonly file: string },
  { env }: Pick<Context, 'env'>,
): Promise<ConfigRisks> {
  const written = await loadConfig({
    file: located.file,
    env,
    secrets: openSecrets(stateDirectory(env)),
    home: homedir(),
    asWritten: true,
  });
  if (written.sha256 !== located.sha256 || written.config.file !== located.config.file) {
    throw changed();
  }
  const file = realFile(located);
  const about: RiskPlace = { folder: dirname(file), disabled: disabledServers(written.config.servers) };
  const screen = riskGroups(written.keys, about);
  const nothing = ['', 'This file starts no programs, sends no data and changes no rights.'];
  return {
    lines: [
      `File    ${printable(file)}`,
      `SHA-256 ${String(located.sha256)}`,
      ...(screen.length === 0 ? nothing : screen),
      '',
    ],
    servers: written.config.servers.map(plainServer),
    keys: plainKeys(written.keys),
  };
}

/** The real path behind a link, which is shown and recorded. */
export function realFile({ config, file }: Located & { readonly file: string }): string {
  return config.file ?? file;
}

interface SeenConfig {
  readonly file: string;
  readonly sha256: string;
  readonly link?: string;
}

/** Records the file and the link to it, with the content, which still applies if the file changes or disappears. */
export function recordConfig({ file, sha256, link }: SeenConfig, { trust }: State): readonly Problem[] {
  const content = readFileSync(file, 'utf8');
  if (sha256Of(content) !== sha256) throw changed();
  return [file, ...(link === undefined ? [] : [link])].flatMap(
    (name) => trust.record(name, sha256, { content }) ?? [],
  );
}

function changed(): Failure {
  return new Failure('trust.changed', 'The file changed while it was being read.', 'tidegate trust');
}

function disabledServers(servers: readonly ServerConfig[]): ReadonlySet<string> {
  const names = servers.filter(({ isEnabled }) => !isEnabled).map(({ name }) => name);
  return new Set(names.flatMap((name) => [`servers.${name}`, `mcpServers.${name}`]));
}

function plainServer(server: ServerConfig): Readonly<Record<string, unknown>> {
  const { name, isEnabled: enabled } = server;
  if (server.kind === 'http') return { name, enabled, url: server.url, headers: Object.keys(server.headers) };
  const { command, args, cwd, env } = server;
  return { name, enabled, command, args, cwd, env };
}
