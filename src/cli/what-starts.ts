import { homedir } from 'node:os';
import {
  type Config,
  defaultConfig,
  isLoopbackHost,
  loadConfig,
  openSecrets,
  printable,
  type ServerConfig,
  stateDirectory,
} from '../config/index.js';
import type { Located } from '../app/index.js';
import type { Context } from './command.js';
import { Failure } from './failure.js';
import { withoutUserinfo } from './without-userinfo.js';

export interface Starts {
  /** For a person to read before deciding. */
  readonly lines: readonly string[];
  readonly servers: readonly Readonly<Record<string, unknown>>[];
  readonly settings: Readonly<Record<string, unknown>>;
}

/**
 * Exactly what a file would start. Values that come from the environment are shown as the file spells them,
 * `${NAME:-default}`: they are not part of what is trusted, and may be secrets; the default is.
 */
export async function startsOf(
  located: Located & { readonly file: string },
  { env }: Pick<Context, 'env'>,
): Promise<Starts> {
  const written = await loadConfig({
    file: located.file,
    env,
    secrets: openSecrets(stateDirectory(env)),
    home: homedir(),
    asWritten: true,
  });
  if (written.sha256 !== located.sha256 || written.config.file !== located.config.file) {
    throw new Failure('trust.changed', 'The file changed while it was read.', 'tidegate trust');
  }
  const { servers } = written.config;
  // Whether a token is asked for depends on the host itself, not on how the file spells it.
  const { auth } = located.config.http;
  const shown: Config = { ...written.config, http: { ...written.config.http, auth } };
  const lines = [
    `File    ${printable(realFile(located))}`,
    `SHA-256 ${String(located.sha256)}`,
    servers.length === 0 ? 'It starts nothing.' : 'It would start or call:',
    ...servers.flatMap(serverLines),
    ...settingLines(shown),
    '',
  ];
  return { lines, servers: servers.map(plainServer), settings: plainSettings(shown) };
}

/** The file itself where a link was named: what is shown and recorded is this path. */
export function realFile({ config, file }: Located & { readonly file: string }): string {
  return config.file ?? file;
}

function serverLines(server: ServerConfig): string[] {
  const head = `  ${printable(server.name)}${server.isEnabled ? '' : ' (not enabled)'}`;
  if (server.kind === 'http') {
    return [head, `    url      ${quoted(server.url)}`, ...names('headers', server.headers)];
  }
  return [
    head,
    `    command  ${quoted(server.command)}`,
    ...server.args.map((argument) => `    argument ${quoted(argument)}`),
    `    in       ${quoted(server.cwd)}`,
    ...Object.entries(server.env).map(([name, value]) => `    env      ${printable(name)}=${quoted(value)}`),
  ];
}

function names(label: string, record: Readonly<Record<string, string>>): string[] {
  const keys = Object.keys(record);
  return keys.length === 0 ? [] : [`    ${label.padEnd(8)} ${keys.map(printable).join(', ')}`];
}

/** What else the file decides: where data goes, and who may come in. */
function settingLines(config: Config): string[] {
  const { access, log, telemetry, http, store } = config;
  const lines = [
    ...(log.file === undefined ? [] : [`    log file ${quoted(log.file)}`]),
    ...(telemetry === undefined ? [] : [`    spans to ${quoted(telemetry.endpoint)}`]),
    ...(telemetry === undefined ? [] : names('headers', telemetry.headers)),
    ...(http.auth === 'none' ? ['    http     without a token'] : []),
    ...(isLoopbackHost(http.host) ? [] : [`    http on  ${quoted(http.host)}`]),
    ...(store.kind === 'sqlite' && store.file === undefined ? [] : [`    grants   ${storeText(store)}`]),
    ...(access.zone === 'local' ? [] : [`    zone     ${quoted(access.zone)}`]),
    ...(access.auditKeep === usualKeep ? [] : [`    records  ${keptText(access.auditKeep)}`]),
    ...(access.defaultProfile === undefined ? [] : [`    default  profile ${quoted(access.defaultProfile)}`]),
    ...(access.profiles === undefined ? [] : [`    profiles ${quoted(access.profiles)}`]),
    ...(access.model === undefined ? [] : [`    model    ${quoted(access.model)}`]),
  ];
  return lines.length === 0 ? [] : ['It would also set:', ...lines];
}

/** Where grants are kept. The address of a database may hold a password. */
function storeText(store: Config['store']): string {
  if (store.kind === 'memory') return 'in memory';
  return quoted(store.kind === 'postgres' ? withoutUserinfo(store.url) : (store.file ?? ''));
}

const usualKeep = defaultConfig('').access.auditKeep;

function keptText(days: number): string {
  return days === 0 ? 'kept for ever' : `kept for ${String(days)} days`;
}

function plainSettings({ access, log, telemetry, http, store }: Config): Readonly<Record<string, unknown>> {
  return {
    ...(log.file !== undefined && { logFile: log.file }),
    ...(telemetry && {
      telemetry: { endpoint: telemetry.endpoint, headers: Object.keys(telemetry.headers) },
    }),
    http: { host: http.host, auth: http.auth },
    store: store.kind === 'postgres' ? { ...store, url: withoutUserinfo(store.url) } : store,
    access,
  };
}

/** In quotes, so that nobody mistakes where a word begins and ends. */
function quoted(text: string): string {
  return printable(JSON.stringify(text));
}

function plainServer(server: ServerConfig): Readonly<Record<string, unknown>> {
  const { name, isEnabled: enabled } = server;
  if (server.kind === 'http') return { name, enabled, url: server.url, headers: Object.keys(server.headers) };
  const { command, args, cwd, env } = server;
  return { name, enabled, command, args, cwd, env };
}
