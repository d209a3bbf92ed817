import { aborted } from '../aborted.js';
import {
  asOption,
  type Command,
  configOption,
  type Context,
  type Given,
  profileOptions,
  textOption,
  toolsOption,
} from '../command.js';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { Failure } from '../failure.js';
import { noFileNamed } from '../locate.js';
import { trustHint, withGate, workspaceNotes } from '../with-gate.js';
import { withoutUserinfo } from '../without-userinfo.js';

export const mcp: Command = {
  name: 'mcp',
  summary: 'Serve MCP on standard input and output, for an agent that starts this command.',
  isService: true,
  options: [
    configOption,
    asOption,
    ...profileOptions,
    toolsOption,
    { name: 'via', value: 'url', about: 'Carry everything to a running gate at this address instead.' },
    {
      name: 'token',
      value: 'token',
      about: 'The token of that gate. Default: TIDEGATE_TOKEN, else its token file.',
    },
  ],
  examples: [
    'tidegate mcp --config ./tidegate.yaml',
    'tidegate mcp --as agent:alice --profile coding',
    "tidegate mcp --tools 'find_*,file_pr,!Bash'",
    'tidegate mcp --via http://127.0.0.1:7331/mcp',
  ],
  run(given, context) {
    const via = textOption(given, 'via');
    return via === undefined ? serveHere(given, context) : bridge(via, given, context);
  },
};

function serveHere(given: Given, context: Context): Promise<ExitCode> {
  return withGate(given, context, 'stdio', async (tidegate) => {
    const untrusted = trustHint(tidegate);
    if (untrusted !== undefined) {
      context.output.note(
        `tidegate: servers of an untrusted file were not started. Read it, then: ${untrusted}`,
      );
    }
    if (tidegate.trust.file === undefined) context.output.note(`tidegate: ${noFileNamed}`);
    for (const line of workspaceNotes(tidegate)) context.output.note(`tidegate: ${line}`);
    await Promise.race([tidegate.serveStdio(), aborted(context.signal)]);
    return exitCodes.ok;
  });
}

const tokenHint =
  'have one made where the gate runs (tidegate token create --as agent:<name>), then set TIDEGATE_TOKEN to it';

async function bridge(via: string, given: Given, context: Context): Promise<ExitCode> {
  for (const option of ['tools', 'as', 'profile', 'role']) {
    if (textOption(given, option) === undefined) continue;
    const message = `--${option} is for a gate that runs here; at the gate behind --via, the token says who you are.`;
    throw new Failure('usage.exclusive', message, 'tidegate token create --as agent:alice --profile coding');
  }
  const url = URL.canParse(via) ? new URL(via) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new Failure(
      'usage.bad_value',
      // What is no address may still hold a password, in whatever place.
      `--via takes an http address${via.includes('@') ? '' : `, not "${via}"`}.`,
      'tidegate mcp --via http://127.0.0.1:7331/mcp',
    );
  }
  const { bridgeToGate } = await import('../../app/bridge.js');
  const token = textOption(given, 'token') ?? context.env['TIDEGATE_TOKEN'];
  const end = await bridgeToGate({
    url,
    token,
    env: context.env,
    signal: context.signal,
  });
  if (end === 'ended') return exitCodes.ok;
  if (end === 'refused') {
    const message = `The gate at ${withoutUserinfo(url.href)} refused the token${token === undefined ? ' of the state folder, or there is none' : ''}.`;
    throw new Failure('gate.token_refused', message, tokenHint);
  }
  const message = `No gate answered at ${withoutUserinfo(url.href)}.`;
  throw new Failure('gate.unreachable', message, 'tidegate serve');
}
