import { readdirSync } from 'node:fs';
import { messageOf } from '../../lib/error-message.js';
import { openScriptedModel } from '../../model/index.js';
import { type AgentEvent, AgentFailure, type AgentOrder } from '../agent.js';
import type { CliParts, Verdict } from '../cli-parts.js';
import type { AgentCli } from '../launch.js';
import { runCli } from '../run-cli.js';
import { decide } from './decide.js';
import type { Planted } from './planted.js';
import { finalText, trialScript, type TrialTools, turnOf } from './script.js';

/** A safe test environment: empty home, empty workspace, separate gateway. */
export interface TrialGround {
  readonly workspace: string;
  readonly tools: TrialTools;
  /** Files in the workspace that an agent might load. */
  readonly planted: Planted;
  readonly parts: Omit<CliParts, 'know' | 'isQuiet'>;
  readonly order: Pick<AgentOrder, 'gateway' | 'session' | 'env' | 'newRequestId' | 'version'>;
  close(): Promise<void>;
}

export interface TrialOptions {
  readonly cli: AgentCli;
  readonly program: string;
  readonly version: string;
  readonly model?: string;
  readonly signal: AbortSignal;
}

const keyEnv = 'TRIAL_KEY';
/** A CLI that does not finish counts as unproven, like one that fails. */
const longestMs = 180_000;

/** Runs the real CLI against a model that tries to bypass the gateway, and returns the verdict. */
export async function tryCli(
  { cli, program, version, model: slug, signal }: TrialOptions,
  ground: TrialGround,
): Promise<Verdict> {
  const script = trialScript(cli, ground.tools);
  const model = await openScriptedModel((request) => turnOf(script.turns, request));
  const ran: string[] = [];
  let server = '';
  const parts: CliParts = {
    ...ground.parts,
    isQuiet: true,
    know: (_cli, { env }) =>
      Promise.resolve({ program, env, verdict: { kind: 'isolated', version, growsList: true } }),
    openSocket: async (order, verdict) => {
      const socket = await ground.parts.openSocket(order, verdict);
      server = socket.name;
      return socket;
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
    if (files === undefined) return { kind: 'unprovable', version, why: 'the test folder was removed' };
    const { requests } = model;
    const evidence = {
      requests,
      ran,
      files,
      acted: ground.planted.acted(),
      ...(failure !== undefined && { failure }),
    };
    const verdict = decide(cli, version, script, ground.tools, server, evidence);
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
    return text.includes(finalText) ? undefined : 'it did not finish the script';
  } catch (error) {
    if (error instanceof AgentFailure) return error.message;
    return messageOf(error);
  }
}
