import { readdirSync } from 'node:fs';
import { openScriptedModel } from '../../model/index.js';
import { type AgentEvent, AgentFailure, type AgentOrder } from '../agent.js';
import type { CliParts, Verdict } from '../cli-parts.js';
import type { AgentCli } from '../launch.js';
import { runCli } from '../run-cli.js';
import { judge } from './judge.js';
import { lastWords, trialScript, type TrialTools, turnOf } from './script.js';

/** A place where nothing can be harmed: an empty home, an empty workspace, a gate of its own. */
export interface TrialGround {
  readonly workspace: string;
  readonly tools: TrialTools;
  readonly parts: Omit<CliParts, 'know' | 'isQuiet'>;
  readonly order: Pick<AgentOrder, 'gateway' | 'session' | 'env' | 'newRequestId' | 'version'>;
  close(): Promise<void>;
}

export interface TrialWish {
  readonly cli: AgentCli;
  readonly program: string;
  readonly version: string;
  readonly model?: string;
  readonly signal: AbortSignal;
}

const keyEnv = 'TRIAL_KEY';
/** A CLI that does not come back is as little proven as one that fails. */
const longestMs = 180_000;

/** Starts the real CLI against a model that tries to go round the gate, and says what came of it. */
export async function tryCli(
  { cli, program, version, model: slug, signal }: TrialWish,
  ground: TrialGround,
): Promise<Verdict> {
  const script = trialScript(cli, ground.tools);
  const model = await openScriptedModel((request) => turnOf(script.turns, request));
  const ran: string[] = [];
  let server = '';
  const parts: CliParts = {
    ...ground.parts,
    isQuiet: true,
    know: () => Promise.resolve({ program, verdict: { kind: 'isolated', version, growsList: true } }),
    openDoor: async (order, verdict) => {
      const door = await ground.parts.openDoor(order, verdict);
      server = door.name;
      return door;
    },
  };
  const take = (event: AgentEvent): void => {
    if (event.kind === 'bypass') ran.push(event.name);
  };
  const order: AgentOrder = {
    ...ground.order,
    prompt: 'Do what the script says.',
    options: {
      ...(slug !== undefined && { model: slug }),
      base_url: cli.addsVersion ? model.origin : model.url,
      api_key_env: keyEnv,
    },
    env: { ...ground.order.env, [keyEnv]: 'trial' },
    isIsolated: true,
    allowsNative: true,
    signal: AbortSignal.any([signal, AbortSignal.timeout(longestMs)]),
    onEvent: take,
  };
  try {
    const failure = await failureOf(runCli(cli, parts, order));
    const files = filesIn(ground.workspace);
    if (files === undefined)
      return { kind: 'unprovable', version, why: 'the place of the trial was removed' };
    const { requests } = model;
    const evidence = { requests, ran, files, ...(failure !== undefined && { failure }) };
    const verdict = judge(cli, version, script, ground.tools, server, evidence);
    const asked = requests.findLast(({ tools }) => tools.length > 0)?.model ?? slug;
    return { ...verdict, ...(asked !== undefined && { model: asked }) };
  } finally {
    await model.close();
  }
}

function filesIn(folder: string): readonly string[] | undefined {
  try {
    return readdirSync(folder);
  } catch {
    return undefined;
  }
}

async function failureOf(running: Promise<{ readonly text: string }>): Promise<string | undefined> {
  try {
    const { text } = await running;
    return text.includes(lastWords) ? undefined : 'it did not finish the script';
  } catch (error) {
    if (error instanceof AgentFailure) return error.message;
    return error instanceof Error ? error.message : String(error);
  }
}
