import type { HttpServing, Tidegate, TidegateOptions } from '../../../app/index.js';
import { type Config, isLoopbackHost, printable, shellWord } from '../../../config/index.js';
import { aborted } from './aborted.js';
import {
  type Command,
  configOption,
  type Context,
  type Given,
  profileOptions,
  textOption,
  toolsOption,
} from '../../command.js';
import { exitCodes } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { keepHeapSmall } from './small-heap.js';
import { noFileNamed, problemLines } from '../../locate.js';
import { realFolder } from '../../real-folder.js';
import {
  actorOf,
  openingFailure,
  patternsOf,
  trustHint,
  withGateway,
  workspaceNotes,
} from '../../with-gateway.js';

export const serve: Command = {
  name: 'serve',
  summary: 'Serve MCP and the admin API over HTTP.',
  isService: true,
  options: [
    configOption,
    ...profileOptions,
    toolsOption,
    { name: 'port', value: 'number', about: 'Port to listen on; 0 picks a free one.' },
    { name: 'host', value: 'address', about: 'Address to listen on.' },
    {
      name: 'workspace',
      value: 'folder',
      isRepeated: true,
      about:
        'Serve this folder too, with its own configuration. Clients choose it with a token or the Tidegate-Workspace header.',
    },
  ],
  examples: ['tidegate serve --port 8080', 'tidegate serve --workspace ../api --workspace ../web'],
  async run(given, context) {
    const port = portOf(textOption(given, 'port'));
    const host = textOption(given, 'host');
    return withGateway(given, context, 'http', async (tidegate) => {
      refuseUnprotected(tidegate.config.http, host);
      const beside = await openBeside(tidegate, foldersOf(given, context), given, context);
      try {
        if (beside.length > 0) [tidegate, ...beside].forEach(refuseWithoutToken);
        const at = { ...(port !== undefined && { port }), ...(host !== undefined && { host }) };
        const serving = await listen(() => tidegate.serveHttp({ ...at, beside }));
        announce(context, serving, trustHint(tidegate));
        await serveUntilStopped(tidegate, context, serving);
      } finally {
        await Promise.all(beside.map((other) => other.close()));
      }
      return exitCodes.ok;
    });
  },
};

async function serveUntilStopped(tidegate: Tidegate, context: Context, serving: HttpServing): Promise<void> {
  if (tidegate.trust.file === undefined) context.output.note(noFileNamed);
  for (const line of workspaceNotes(tidegate)) context.output.note(line);
  // Only now, because a larger heap makes startup faster.
  keepHeapSmall();
  await aborted(context.signal);
  await serving.close();
}

function foldersOf(given: Given, { cwd }: Context): readonly string[] {
  const folders = (given.lists?.['workspace'] ?? []).map((folder) => realFolder(folder, cwd));
  const all = [realFolder('.', cwd), ...folders];
  const twice = all.find((folder, at) => all.indexOf(folder) !== at);
  if (twice === undefined) return folders;
  throw new Failure(
    'usage.bad_value',
    `The workspace ${twice} is already being served. Pass each folder only once.`,
  );
}

/** Opens the other workspaces one after the other, so that an error names its folder. */
async function openBeside(
  tidegate: Tidegate,
  folders: readonly string[],
  given: Given,
  context: Context,
): Promise<readonly Tidegate[]> {
  const opened: Tidegate[] = [];
  for (const cwd of folders) {
    try {
      const { env, version } = context;
      const other = await tidegate.openBeside({ cwd, env, version, mode: 'http', ...limitsOf(given) });
      opened.push(other);
      for (const line of problemLines(other.problems)) context.output.note(line);
      const untrusted = trustHint(other);
      if (untrusted !== undefined && !context.output.isJson)
        context.output.note(
          `Servers from an untrusted file were not started. Review it, then run: ${untrusted}`,
        );
    } catch (error) {
      await Promise.all(opened.map((other) => other.close()));
      const { AccessRefused, ConfigRefused } = await import('../../../app/index.js');
      context.output.note(`Workspace ${printable(cwd)}:`);
      throw openingFailure(error, undefined, { AccessRefused, ConfigRefused });
    }
  }
  return opened;
}

function limitsOf(given: Given): Pick<TidegateOptions, 'toolPatterns' | 'profile'> {
  const toolPatterns = patternsOf(given);
  const { profile } = actorOf(given);
  return { ...(toolPatterns && { toolPatterns }), ...(profile !== undefined && { profile }) };
}

function portOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new Failure(
    'usage.bad_value',
    `--port takes a number from 0 to 65535, not "${text}".`,
    'tidegate serve --port 0',
  );
}

function refuseUnprotected({ auth, host: configured }: Config['http'], host = configured): void {
  if (auth !== 'none' || isLoopbackHost(host)) return;
  const message = `With http.auth: none, Tidegate listens only on loopback, not on ${host}.`;
  throw new Failure('config.auth_none_not_loopback', message, 'tidegate serve --host 127.0.0.1');
}

/** Workspaces share tokens and grants, so one that needs no token would open the others. */
function refuseWithoutToken({ config, trust }: Tidegate): void {
  if (config.http.auth !== 'none') return;
  throw new Failure(
    'usage.exclusive',
    `http.auth: none cannot be used with --workspace. Remove it from ${trust.file ?? 'the configuration'}.`,
  );
}

async function listen<T>(start: () => Promise<T>): Promise<T> {
  try {
    return await start();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'EADDRINUSE') {
      const hint = 'tidegate serve --port 0';
      throw new Failure('http.port_in_use', `Another process is already using the port: ${message}`, hint);
    }
    if (['EACCES', 'EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'].includes(code ?? '')) {
      const next = code === 'EACCES' ? 'tidegate serve --port 0' : 'tidegate serve --host 127.0.0.1';
      throw new Failure('http.cannot_listen', `Cannot listen on this address: ${message}`, next);
    }
    throw error;
  }
}

function announce({ output }: Context, serving: HttpServing, untrusted: string | undefined): void {
  const { url, auth, tokenFile, token } = serving;
  // In JSON the next command is part of the result instead of a note.
  output.jsonText(JSON.stringify({ url, auth, tokenFile, token, pid: process.pid, next: untrusted }));
  output.line(`MCP     ${output.paint('bold', url)}`);
  output.line(`Admin   ${new URL('/api/openapi.json', url).href}`);
  if (auth === 'none')
    output.line('Token   none: anyone who can reach this port acts as the operator (http.auth: none)');
  else if (token === undefined) output.line(`Token   in ${printable(tokenFile)}`);
  else output.line(`Token   ${token}\n        (shown once; stored in ${printable(tokenFile)})`);
  output.line(`Agent   tidegate mcp --via ${shellWord(url)}`);
  if (untrusted !== undefined && !output.isJson)
    output.note(`Servers from an untrusted file were not started. Review it, then run: ${untrusted}`);
}
