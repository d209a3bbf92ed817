import { realpathSync } from 'node:fs';
import { JsonText } from '../lib/json-text.js';
import { shellWord } from '../lib/shell-word.js';
import { type AgentAnswer, type AgentEvent, AgentFailure, type AgentOrder } from './agent.js';
import { askProgram } from './ask-program.js';
import type { AgentCli, LaunchSettings } from './launch.js';
import { endpointOf, textOption } from './endpoint-of.js';
import { openLaunchFolder } from './launch-folder.js';
import { nativePermissions } from './native-permissions.js';
import type { CliParts, AgentSocket, KnownCli } from './cli-parts.js';
import { openModelWatchdog } from './model-watchdog.js';
import { startCli } from './start-cli.js';
import { watchCli } from './watch-cli.js';

/** Runs an agent CLI with the gateway as its source of tools. */
export async function runCli(cli: AgentCli, parts: CliParts, given: AgentOrder): Promise<AgentAnswer> {
  const known = await parts.know(cli, given);
  given.onEvent(launchOf(known, given));
  given.onEvent({ kind: 'message', role: 'user', text: given.prompt });
  refuseLeaks(cli, known, given);
  const folder = openLaunchFolder(parts.folder);
  const endpoint = endpointOf(cli, given);
  const asked = { env: given.env, ...(endpoint && { endpoint }) };
  const watchdog = openModelWatchdog({ cli, asked, onEvent: given.onEvent });
  const order: AgentOrder = { ...given, onEvent: watchdog.onEvent };
  const socket = await parts.openSocket(order, known.verdict);
  try {
    const settings = await settingsOf(cli, parts, order, { known, socket, folder: folder.path });
    const plan = cli.plan(settings);
    folder.write(plan.files);
    for (const text of plan.warnings) order.onEvent({ kind: 'note', text });
    const child = await startCli(plan, { ...parts, env: known.env, owner: `agent:${cli.name}` });
    return await watchCli({ cli, child, order, socket, settings, watchdog, stdin: plan.stdin });
  } finally {
    watchdog.close();
    await socket.close();
    folder.remove();
  }
}

function launchOf({ program, verdict }: KnownCli, { isIsolated }: AgentOrder): AgentEvent {
  if (isIsolated === false) return { kind: 'launched', program };
  return { kind: 'launched', program, version: verdict.version, verdict: verdict.kind };
}

/** A known leak is an error, not a warning. */
function refuseLeaks(cli: AgentCli, { verdict }: KnownCli, { isIsolated, allowsNative }: AgentOrder): void {
  if (isIsolated === false || allowsNative === true || verdict.kind !== 'leaks') return;
  const what = verdict.leaks.join(', ');
  throw new AgentFailure(
    'EXECUTION.AGENT.BYPASSED',
    `${cli.title} ${verdict.version} has tools that Tidegate cannot disable: ${what}.`,
    `tidegate doctor --agent ${shellWord(cli.name)}`,
  );
}

export interface Launch {
  readonly known: KnownCli;
  readonly socket: AgentSocket;
  readonly folder: string;
  /** Arguments from a user in a terminal. */
  readonly own?: readonly string[];
}

export async function settingsOf(
  cli: AgentCli,
  parts: Pick<CliParts, 'processes' | 'cwd' | 'keep' | 'userFile' | 'isQuiet'>,
  order: AgentOrder,
  { known, socket, folder, own }: Launch,
): Promise<LaunchSettings> {
  const { options, env } = order;
  const model = textOption(options, 'model');
  const endpoint = endpointOf(cli, order);
  const resume = sessionOf(cli, order.conversation);
  const guidance = await guidanceFor(cli, order);
  return {
    program: known.program,
    prompt: order.prompt,
    ...(order.system !== undefined && { system: order.system }),
    ...(guidance !== undefined && { guidance }),
    ...(model !== undefined && { model }),
    ...(resume !== undefined && { resume }),
    isIsolated: order.isIsolated !== false,
    natives: nativePermissions(options),
    ...(process.getuid?.() === 0 && { isRoot: true }),
    isProven: known.verdict.kind === 'isolated',
    server: socket.name,
    agent: `a${socket.name}`,
    gatewayCommand: socket.gatewayCommand,
    workspace: parts.cwd,
    folder,
    // Resolve links, because the CLI compares its own working directory with this path.
    keep: realpathSync(parts.keep(cli.name)),
    env,
    ...(endpoint && { endpoint }),
    ...(parts.isQuiet && { isQuiet: true }),
    ...(cli.asks && {
      asked: await askProgram(known.program, cli.asks, {
        ...parts,
        cwd: folder,
        env: known.env,
        signal: order.signal,
      }),
    }),
    userFile: parts.userFile,
    ...(own && { own }),
  };
}

async function guidanceFor(cli: AgentCli, order: AgentOrder): Promise<string | undefined> {
  const { gateway, session, isIsolated } = order;
  const { hidesGuidanceAs: name } = cli;
  if (name === undefined || isIsolated === false) return undefined;
  await gateway.registry.settle(session);
  return gateway.registry.instructions(session, {
    protocol: 'legacy',
    protocolVersion: '',
    capabilities: JsonText.from({}),
    info: JsonText.from({ name, version: '' }),
  });
}

/** For a CLI, a conversation is the id of its session. */
function sessionOf(cli: AgentCli, conversation: readonly unknown[] | undefined): string | undefined {
  const [first] = conversation ?? [];
  if (first === undefined) return undefined;
  const { cli: name, session } = first as { readonly cli?: unknown; readonly session?: unknown };
  if (name === cli.name && typeof session === 'string' && session !== '') return session;
  throw new AgentFailure('EXECUTION.AGENT.FAILED', `There is no conversation with ${cli.title} to continue.`);
}
