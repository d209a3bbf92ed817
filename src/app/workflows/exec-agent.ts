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
import type { ProcessExit } from '../../kernel/index.js';
import { isRunning } from '../../services/processes/is-running.js';
import { openTidegate } from '../open-tidegate.js';
import type { Tidegate, TidegateOptions } from '../tidegate.js';
import { openAgentDoors } from './agent-doors.js';
import { knowCli } from './know-cli.js';
import { readOwnWords } from './own-words.js';
import { userFile } from './user-file.js';

export interface ExecWish extends Omit<TidegateOptions, 'mode'> {
  readonly agent: string;
  readonly model?: string;
  /** Another endpoint than the agent's own, and the variable that holds its key. */
  readonly baseUrl?: string;
  readonly apiKeyEnv?: string;
  /** Words of the agent's own command line. */
  readonly own: readonly string[];
  readonly signal: AbortSignal;
  readonly onNote: (text: string) => void;
  readonly onProblems: (problems: readonly Problem[]) => void;
  /** The terminal is the agent's from now on. */
  readonly onStart: () => void;
}

export type ExecAnswer =
  | { readonly kind: 'ended'; readonly exit: ProcessExit }
  /** It was not started, for this reason. */
  | { readonly kind: 'failed'; readonly why: AgentFailure }
  | { readonly kind: 'stopped' }
  /** A word that would undo the isolation. */
  | { readonly kind: 'undoing'; readonly word: string }
  /** The model is named here and there. */
  | { readonly kind: 'twice' }
  /** The variable that is to hold the key of another endpoint. */
  | { readonly kind: 'keyless'; readonly variable: string }
  | { readonly kind: 'leaks'; readonly title: string; readonly leaks: readonly string[] };

/** Lets a person work with an agent CLI in this terminal, with the gate as its only source of tools. */
export async function execAgent(wish: ExecWish): Promise<ExecAnswer> {
  const cli = clis.find(({ name }) => name === wish.agent);
  if (cli === undefined) throw new Error(`There is no agent ${wish.agent}.`);
  const words = readOwnWords(cli.words, wish.own);
  if (words.kind === 'undoing') return words;
  if (wish.model !== undefined && words.model !== undefined) return { kind: 'twice' };
  const variable = wish.apiKeyEnv ?? cli.keyEnv;
  // Otherwise the login for the agent's own endpoint might be sent to this one.
  if (wish.baseUrl !== undefined && !wish.env[variable]) return { kind: 'keyless', variable };
  // The terminal belongs to the agent.
  const logFile = join(stateDirectoryOf(wish.env), 'exec.log.jsonl');
  const tidegate = await openTidegate({ ...wish, mode: 'stdio', logFile });
  try {
    wish.onProblems(tidegate.problems);
    return await underGate(cli, wish, tidegate, words.model);
  } catch (error) {
    if (wish.signal.aborted) return { kind: 'stopped' };
    if (!(error instanceof AgentFailure)) throw error;
    return { kind: 'failed', why: error };
  } finally {
    await tidegate.close();
  }
}

async function underGate(
  cli: AgentCli,
  wish: ExecWish,
  tidegate: Tidegate,
  ownModel: string | undefined,
): Promise<ExecAnswer> {
  const { cwd, version } = wish;
  const { stateDirectory } = tidegate;
  const order = orderOf(cli, wish, tidegate);
  const model = wish.model ?? ownModel;
  const asked = { ...order, options: { ...(model !== undefined && { model }) } };
  const known = await knowCli(cli, asked, { stateDirectory, cwd, version, openGate: openTidegate });
  if (known.verdict.kind === 'leaks') return { kind: 'leaks', title: cli.title, leaks: known.verdict.leaks };
  const folder = openLaunchFolder(ownFolder(join(stateDirectory, 'exec')));
  const doors = openAgentDoors(tidegate);
  try {
    const door = await doors.open(order, known.verdict);
    const launch = { known, door, folder: folder.path, own: wish.own };
    return await start(cli, order, tidegate, {
      ...launch,
      cwd,
      write: (files) => folder.write(files),
      onStart: wish.onStart,
    });
  } finally {
    removeFolder(dirname(folder.path));
    await doors.close();
  }
}

/** A folder of this process; those of processes that are no more go. */
function ownFolder(parent: string): string {
  const own = join(parent, String(process.pid));
  removeFolder(own);
  mkdirSync(own, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(parent)) {
    if (!isRunning(Number(name))) removeFolder(join(parent, name));
  }
  return own;
}

function orderOf(cli: AgentCli, wish: ExecWish, tidegate: Tidegate): AgentOrder {
  const { env, version, signal, onNote, model, baseUrl, apiKeyEnv = cli.keyEnv } = wish;
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
  const { env, signal, onEvent } = order;
  const keep = join(stateDirectory, 'agents', cli.name);
  mkdirSync(keep, { recursive: true, mode: 0o700 });
  const place = { processes, cwd: launch.cwd, env };
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
