import { resolve } from 'node:path';
import { aborted } from './aborted.js';
import {
  asOption,
  type Command,
  configOption,
  type Context,
  type Given,
  profileOptions,
  textOption,
  toolsOption,
} from '../../command.js';
import { type ExitCode, exitCodes } from '../../exit-codes.js';
import { Failure } from '../../failure.js';
import { noFileNamed } from '../../locate.js';
import { trustHint, withGateway, workspaceNotes } from '../../with-gateway.js';
import { withoutUserinfo } from '../../terminal/without-userinfo.js';

export const mcp: Command = {
  name: 'mcp',
  summary: 'Serve MCP over stdio, for an agent that starts this command.',
  isService: true,
  options: [
    configOption,
    asOption,
    ...profileOptions,
    toolsOption,
    { name: 'via', value: 'url', about: 'Forward everything to a running gateway at this URL instead.' },
    {
      name: 'token',
      value: 'token',
      about: 'Token for that gateway. Default: TIDEGATE_TOKEN, then the token file of the gateway.',
    },
    {
      name: 'workspace',
      value: 'folder',
      about: 'Workspace to use at that gateway, if it serves several.',
      goesWith: 'via',
    },
  ],
  examples: [
    'tidegate mcp --config ./tidegate.yaml',
    'tidegate mcp --as agent:alice --profile coding',
    "tidegate mcp --tools 'Read,github_*,!github_delete_*'",
    'tidegate mcp --via http://127.0.0.1:7331/mcp --workspace .',
  ],
  run(given, context) {
    const via = textOption(given, 'via');
    return via === undefined ? serveHere(given, context) : relay(via, given, context);
  },
};

function serveHere(given: Given, context: Context): Promise<ExitCode> {
  return withGateway(given, context, 'stdio', async (tidegate) => {
    const untrusted = trustHint(tidegate);
    if (untrusted !== undefined) {
      context.output.note(
        `tidegate: servers from an untrusted file were not started. Review it, then run: ${untrusted}`,
      );
    }
    if (tidegate.trust.file === undefined) context.output.note(`tidegate: ${noFileNamed}`);
    for (const line of workspaceNotes(tidegate)) context.output.note(`tidegate: ${line}`);
    await Promise.race([tidegate.serveStdio(), aborted(context.signal)]);
    return exitCodes.ok;
  });
}

const tokenHint =
  'create one on the machine where the gateway runs (tidegate token create --as agent:<name>), then set TIDEGATE_TOKEN to it';

async function relay(via: string, given: Given, context: Context): Promise<ExitCode> {
  for (const option of ['tools', 'as', 'profile', 'role']) {
    if (textOption(given, option) === undefined) continue;
    const message = `--${option} cannot be used with --via, because your token decides who you are at that gateway.`;
    throw new Failure('usage.exclusive', message, 'tidegate token create --as agent:alice --profile coding');
  }
  const url = URL.canParse(via) ? new URL(via) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new Failure(
      'usage.bad_value',
      // An invalid URL may still contain a password.
      `--via takes an http URL${via.includes('@') ? '' : `, not "${via}"`}.`,
      'tidegate mcp --via http://127.0.0.1:7331/mcp',
    );
  }
  const { relayToGateway } = await import('../../../app/via.js');
  const token = textOption(given, 'token') ?? context.env['TIDEGATE_TOKEN'];
  const workspace = textOption(given, 'workspace');
  const end = await relayToGateway({
    url,
    token,
    // The folder may exist only on the machine of the gateway.
    ...(workspace !== undefined && { workspace: resolve(context.cwd, workspace) }),
    env: context.env,
    signal: context.signal,
  });
  if (end === 'ended') return exitCodes.ok;
  if (end === 'refused') {
    const message = `The gateway at ${withoutUserinfo(url.href)} rejected the token${token === undefined ? ' from the state directory, or no token is stored there' : ''}.`;
    throw new Failure('gate.token_refused', message, tokenHint);
  }
  const message = `No gateway answered at ${withoutUserinfo(url.href)}.`;
  throw new Failure('gate.unreachable', message, 'tidegate serve');
}
