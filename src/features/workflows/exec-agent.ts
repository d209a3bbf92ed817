import { mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type AgentCli,
  AgentFailure,
  type AgentOrder,
  clis,
  type Launch,
  openLaunchFolder,
  removeFolder,
  settingsOf,
  startCli,
} from '../../agents/index.js';
import { type Problem, stateDirectory as stateDirectoryOf } from '../../config/index.js';
import type { ProcessExit } from '../../ports/processes.js';
import { isRunning } from '../../lib/is-running.js';
import type { OpenTidegate, Tidegate, TidegateOptions } from '../../workspace/tidegate.js';
import { openAgentSockets } from '../../workspace/agents/agent-sockets.js';
import { knowCli } from '../../workspace/agents/know-cli.js';
import { readAgentArguments } from '../../workspace/agents/agent-arguments.js';
import { userFile } from '../../workspace/user-file.js';

export interface ExecOptions extends Omit<TidegateOptions, 'mode'> {
  readonly agent: string;
  readonly model?: string;
  /** A custom model endpoint, and the variable that holds its key. */
  readonly baseUrl?: string;
  readonly apiKeyEnv?: string;
  /** Arguments passed on to the agent. */
  readonly own: readonly string[];
  readonly signal: AbortSignal;
  readonly onNote: (text: string) => void;
  readonly onProblems: (problems: readonly Problem[]) => void;
  /** Called before the agent takes over the terminal. */
  readonly onStart: () => void;
}

export type ExecAnswer =
  | { readonly kind: 'ended'; readonly exit: ProcessExit }
  /** The agent was not started. */
  | { readonly kind: 'failed'; readonly why: AgentFailure }
  | { readonly kind: 'stopped' }
  /** An argument that could break the isolation. */
  | { readonly kind: 'undoing'; readonly word: string }
  /** The model is given twice. */
  | { readonly kind: 'twice' }
  /** The variable for the endpoint's key is not set. */
  | { readonly kind: 'keyless'; readonly variable: string }
  | { readonly kind: 'leaks'; readonly title: string; readonly leaks: readonly string[] };

/** Runs an agent CLI in this terminal with the gateway as its only source of tools. */
export async function execAgent(openTidegate: OpenTidegate, request: ExecOptions): Promise<ExecAnswer> {
  const cli = clis.find(({ name }) => name === request.agent);
  if (cli === undefined) throw new Error(`Unknown agent: ${request.agent}.`);
  const words = readAgentArguments(cli.words, request.own);
  if (words.kind === 'undoing') return words;
  if (request.model !== undefined && words.model !== undefined) return { kind: 'twice' };
  const variable = request.apiKeyEnv ?? cli.keyEnv;
  // Otherwise the agent's own login might be sent to this endpoint.
  if (request.baseUrl !== undefined && !request.env[variable]) return { kind: 'keyless', variable };
  // Log to a file, because the agent uses the terminal.
  const logFile = join(stateDirectoryOf(request.env), 'exec.log.jsonl');
  const tidegate = await openTidegate({ ...request, mode: 'stdio', logFile });
  try {
    request.onProblems(tidegate.problems);
    return await runUnderGateway(cli, { ...request, openTidegate }, tidegate, words.model);
  } catch (error) {
    if (request.signal.aborted) return { kind: 'stopped' };
    if (!(error instanceof AgentFailure)) throw error;
    return { kind: 'failed', why: error };
  } finally {
    await tidegate.close();
  }
}

async function runUnderGateway(
  cli: AgentCli,
  request: ExecOptions & { readonly openTidegate: OpenTidegate },
  tidegate: Tidegate,
  ownModel: string | undefined,
): Promise<ExecAnswer> {
  const { cwd, version } = request;
  const { stateDirectory } = tidegate;
  const order = orderOf(cli, request, tidegate);
  const model = request.model ?? ownModel;
  const asked = { ...order, options: { ...(model !== undefined && { model }) } };
  const known = await knowCli(cli, asked, {
    stateDirectory,
    cwd,
    roots: tidegate.config.workspace.roots,
    version,
    openGate: request.openTidegate,
  });
  if (known.verdict.kind === 'leaks') return { kind: 'leaks', title: cli.title, leaks: known.verdict.leaks };
  const folder = openLaunchFolder(ownFolder(join(stateDirectory, 'exec')));
  const sockets = openAgentSockets(tidegate);
  try {
    const socket = await sockets.open(order, known.verdict);
    const launch = { known, socket, folder: folder.path, own: request.own };
    return await start(cli, order, tidegate, {
      ...launch,
      cwd,
      write: (files) => folder.write(files),
      onStart: request.onStart,
    });
  } finally {
    removeFolder(dirname(folder.path));
    await sockets.close();
  }
}

/** A folder for this process; folders of ended processes are removed. */
function ownFolder(parent: string): string {
  const own = join(parent, String(process.pid));
  removeFolder(own);
  mkdirSync(own, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(parent)) {
    if (!isRunning(Number(name))) removeFolder(join(parent, name));
  }
  return own;
}

function orderOf(cli: AgentCli, request: ExecOptions, tidegate: Tidegate): AgentOrder {
  const { env, version, signal, onNote, model, baseUrl, apiKeyEnv = cli.keyEnv } = request;
  return {
    gateway: tidegate.gateway,
    session: tidegate.localSession('connection'),
    prompt: '',
    options: {
      ...(model !== undefined && { model }),
      ...(baseUrl !== undefined && { base_url: baseUrl, api_key_env: apiKeyEnv }),
    },
    env,
    signal,
    newRequestId: () => tidegate.newRequestId(),
    version,
    onEvent: (event) => {
      if (event.kind === 'note') onNote(event.text);
    },
  };
}

interface TerminalLaunch extends Launch {
  readonly cwd: string;
  readonly write: ReturnType<typeof openLaunchFolder>['write'];
  readonly onStart: () => void;
}

async function start(
  cli: AgentCli,
  order: AgentOrder,
  { processes, stateDirectory }: Tidegate,
  launch: TerminalLaunch,
): Promise<ExecAnswer> {
  const { signal, onEvent } = order;
  const keep = join(stateDirectory, 'agents', cli.name);
  mkdirSync(keep, { recursive: true, mode: 0o700 });
  const place = { processes, cwd: launch.cwd, env: launch.known.env };
  const plan = cli.plan(await settingsOf(cli, { ...place, keep: () => keep, userFile }, order, launch));
  launch.write(plan.files);
  for (const text of plan.warnings) onEvent({ kind: 'note', text });
  signal.throwIfAborted();
  launch.onStart();
  const child = await startCli(plan, { ...place, owner: `agent:${cli.name}`, isOnTerminal: true });
  const stop = (): void => void child.close();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const exit = await new Promise<ProcessExit>((resolve) => child.onExit(resolve));
  signal.removeEventListener('abort', stop);
  await child.close();
  return { kind: 'ended', exit };
}
