import { mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type AgentCli,
  type AgentOrder,
  AgentFailure,
  askProgram,
  clis,
  type Door,
  type KnownCli,
  openLaunchFolder,
  removeFolder,
  startCli,
} from '../../agents/index.js';
import { stateDirectory as stateDirectoryOf } from '../../config/index.js';
import type { ProcessExit, Session } from '../../kernel/index.js';
import { isRunning } from '../is-running.js';
import { openTidegate } from '../open-tidegate.js';
import type { Tidegate, TidegateOptions } from '../tidegate.js';
import { openAgentDoors } from './agent-doors.js';
import { knowCli } from './know-cli.js';
import { userFile } from './user-file.js';

export interface ExecWish extends Omit<TidegateOptions, 'mode'> {
  readonly agent: string;
  /** Words of the agent's own command line. */
  readonly own: readonly string[];
  readonly signal: AbortSignal;
  readonly onNote: (text: string) => void;
}

export type ExecAnswer =
  /** It cannot be started, for this reason. */
  | { readonly kind: 'absent'; readonly why: string }
  | { readonly kind: 'ended'; readonly exit: ProcessExit }
  /** A word that would undo the isolation. */
  | { readonly kind: 'undoing'; readonly word: string }
  | { readonly kind: 'leaks'; readonly title: string; readonly leaks: readonly string[] };

/** Lets a person work with an agent CLI in this terminal, with the gate as its only source of tools. */
export async function execAgent(wish: ExecWish): Promise<ExecAnswer> {
  const cli = clis.find(({ name }) => name === wish.agent);
  if (cli === undefined) throw new Error(`There is no agent ${wish.agent}.`);
  const word = undoing(cli, wish.own);
  if (word !== undefined) return { kind: 'undoing', word };
  // The terminal belongs to the agent.
  const logFile = join(stateDirectoryOf(wish.env), 'exec.log.jsonl');
  const tidegate = await openTidegate({ ...wish, mode: 'stdio', logFile });
  const launch = openLaunchFolder(ownFolder(join(tidegate.stateDirectory, 'exec')));
  const doors = openAgentDoors(tidegate);
  try {
    const order = orderOf(wish, tidegate, tidegate.localSession('connection'));
    const { stateDirectory } = tidegate;
    const { cwd, version } = wish;
    const known = await knowCli(cli, order, { stateDirectory, cwd, version, openGate: openTidegate });
    if (known.verdict.kind === 'leaks')
      return { kind: 'leaks', title: cli.title, leaks: known.verdict.leaks };
    const door = await doors.open(order, known.verdict);
    const exit = await start(cli, wish, tidegate, {
      known,
      door,
      folder: launch.path,
      write: (files) => launch.write(files),
    });
    return { kind: 'ended', exit };
  } catch (error) {
    if (!(error instanceof AgentFailure)) throw error;
    return { kind: 'absent', why: error.message };
  } finally {
    removeFolder(dirname(launch.path));
    await doors.close();
    await tidegate.close();
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

/** The first word that nobody looked at. One word that is no flag is the prompt. */
export function undoing({ words }: Pick<AgentCli, 'words'>, own: readonly string[]): string | undefined {
  let hasPrompt = false;
  for (let at = words.commands.includes(own[0] ?? '') ? 1 : 0; at < own.length; at += 1) {
    const word = own[at] ?? '';
    const [flag = '', ...value] = word.split('=');
    if (words.flags.includes(word)) continue;
    if (words.valued.includes(flag) && flag.startsWith('-')) {
      if (value.length === 0) at += 1;
      // What looks like a flag could be read as one.
      if (value.length === 0 && (own[at] ?? '').startsWith('-')) return own[at];
      continue;
    }
    if (word.startsWith('-') || hasPrompt) return word;
    hasPrompt = true;
  }
  return undefined;
}

function orderOf(
  { env, version, signal, onNote }: ExecWish,
  tidegate: Tidegate,
  session: Session,
): AgentOrder {
  return {
    gateway: tidegate.gateway,
    session,
    prompt: '',
    options: {},
    env,
    signal,
    newRequestId: () => tidegate.newRequestId(),
    version,
    onEvent: (event) => {
      if (event.kind === 'note') onNote(event.text);
    },
  };
}

interface Launch {
  readonly known: KnownCli;
  readonly door: Door;
  readonly folder: string;
  readonly write: ReturnType<typeof openLaunchFolder>['write'];
}

async function start(
  cli: AgentCli,
  { own, env, cwd, signal, onNote }: ExecWish,
  { processes, stateDirectory }: Tidegate,
  { known, door, folder, write }: Launch,
): Promise<ProcessExit> {
  const keep = join(stateDirectory, 'agents', cli.name);
  mkdirSync(keep, { recursive: true, mode: 0o700 });
  const place = { processes, cwd, env };
  const plan = cli.plan({
    program: known.program,
    prompt: '',
    isIsolated: true,
    isProven: known.verdict.kind === 'isolated',
    server: door.name,
    agent: `a${door.name}`,
    gate: door.gate,
    folder,
    keep,
    env,
    ...(cli.asks && { asked: await askProgram(known.program, cli.asks, { ...place, signal }) }),
    userFile,
    own,
  });
  write(plan.files);
  for (const text of plan.warnings) onNote(text);
  const child = await startCli(plan, { ...place, owner: `agent:${cli.name}`, isOnTerminal: true });
  const stop = (): void => {
    process.kill(child.pid, 'SIGTERM');
    void child.close();
  };
  signal.addEventListener('abort', stop, { once: true });
  const exit = await new Promise<ProcessExit>((resolve) => child.onExit(resolve));
  signal.removeEventListener('abort', stop);
  await child.close();
  return exit;
}
