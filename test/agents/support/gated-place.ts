import { cpSync, existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  inConversation,
  type ModelRequest,
  type ModelScript,
  openScriptedModel,
  type ScriptedTurn,
} from 'tidegate/testing';
import { inject } from 'vitest';
import { done, type FlowPlace, type FlowResult, openFlowPlace } from '../../support/flow.js';
import type { Gated } from './gated.js';

export interface GatedRun {
  readonly status: number | null;
  readonly result: FlowResult;
  /** Requests to the model, without side requests. */
  readonly requests: readonly ModelRequest[];
  /** Tool names that the model saw, without those of the gateway. */
  readonly others: readonly string[];
  /** Results of the calls, in order. */
  readonly results: readonly string[];
  /** Files in the workspace, without workflows. */
  readonly files: readonly string[];
}

/** A workspace in which the built program starts a real agent, with known isolation results. */
export interface GatedPlace extends FlowPlace {
  readonly home: string;
  readonly agentEnv: Readonly<Record<string, string>>;
  /** Writes a file in the user's home. */
  homeFile(name: string, text: string): string;
  /** Runs a workflow with one step `a` of this agent until it ends. */
  runAgent(gated: Gated, script: readonly ScriptedTurn[] | ModelScript, more?: StepMore): Promise<GatedRun>;
}

export interface StepMore {
  readonly step?: object;
  readonly options?: object;
  readonly env?: Readonly<Record<string, string>>;
}

const limitMs = 110_000;
export const keyName = 'SCRIPTED_KEY';
const shownName = /t[0-9a-f]{8}/;

export function openGatedPlace(config: object = {}, isProven = true): GatedPlace {
  const place = openFlowPlace(config);
  const home = place.env['HOME'] ?? '';
  const state = place.env['TIDEGATE_HOME'] ?? '';
  const known = join(inject('agentsState'), 'agents.json');
  if (isProven && existsSync(known)) cpSync(known, join(state, 'agents.json'));
  const agentEnv = {
    ...place.env,
    PATH: `${inject('agentsBin')}:${process.env['PATH'] ?? ''}`,
    [keyName]: 'not-a-key',
    DISABLE_AUTOUPDATER: '1',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  };
  return {
    ...place,
    home,
    agentEnv,
    homeFile(name, text) {
      const path = join(home, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
      return path;
    },
    async runAgent(gated, script, more = {}) {
      const isList = (given: typeof script): given is readonly ScriptedTurn[] => Array.isArray(given);
      const model = await openScriptedModel(isList(script) ? inConversation(script) : script);
      try {
        const env = { ...agentEnv, ...blocked(gated, model.origin), ...more.env };
        const states = { initial: 'a', a: agentStepOf(gated, model, more), done };
        const { status, result } = await place.flow({ states }, [], { env, limitMs });
        const requests = model.requests.filter(({ tools }) => tools.length > 0);
        return {
          status,
          result,
          requests,
          others: othersIn(requests),
          results: requests.at(-1)?.results.map(({ text }) => text) ?? [],
          files: filesIn(place.workspace),
        };
      } finally {
        await model.close();
      }
    },
  };
}

/** Tool names that the model saw, without those of the gateway. */
export function othersIn(requests: readonly ModelRequest[]): readonly string[] {
  const shown = new Set(requests.flatMap(({ tools }) => tools));
  return [...shown].filter((name) => !shownName.test(name)).sort();
}

/** The step as a user would write it, except for the model address. */
export function agentStepOf(
  { agent, model: name }: Gated,
  model: { readonly url: string; readonly origin: string },
  { step = {}, options = {} }: StepMore = {},
): object {
  const isOrigin = agent === 'claude' || agent === 'gemini';
  return {
    type: 'agent',
    provider: agent,
    prompt: 'Do as the script says.',
    options: {
      base_url: isOrigin ? model.origin : model.url,
      api_key_env: keyName,
      model: name,
      ...options,
    },
    on_success: 'done',
    ...step,
  };
}

/** Blocks access to other machines. OpenCode cannot reach loopback addresses if a proxy is set. */
export function blocked({ agent }: Gated, origin: string): Readonly<Record<string, string>> {
  return agent === 'opencode' ? {} : { HTTPS_PROXY: origin, NO_PROXY: '127.0.0.1,localhost' };
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder)
    .filter((name) => !/^flow-\d+\.yaml$|^tidegate\.yaml$/.test(name))
    .sort();
}
