import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  inConversation,
  type ModelRequest,
  openScriptedModel,
  type ScriptedModel,
  type ScriptedTurn,
} from 'tidegate/testing';
import { program } from '../../support/gate.js';
import type { AgentName } from './agent-binary.js';
import type { Gated } from './gated.js';
import { blocked, type GatedPlace, keyName, othersIn } from './gated-place.js';

export interface ExecRun {
  readonly status: number | null;
  readonly said: string;
  readonly requests: readonly ModelRequest[];
  /** Tool names that the model saw, without those of the gateway. */
  readonly others: readonly string[];
  readonly results: readonly string[];
  /** Names of called tools, according to the log. */
  readonly logged: readonly unknown[];
}

/** Arguments that make each agent answer one prompt headlessly. */
export const headless: Readonly<Record<AgentName, (prompt: string) => readonly string[]>> = {
  claude: (prompt) => ['-p', prompt],
  gemini: (prompt) => ['-p', prompt],
  codex: (prompt) => ['exec', '--skip-git-repo-check', prompt],
  opencode: (prompt) => ['run', prompt],
};

/** Arguments that start the terminal UI of each agent with a prompt. */
export const onScreen: Readonly<Record<AgentName, (prompt: string) => readonly string[]>> = {
  claude: (prompt) => [prompt],
  gemini: (prompt) => ['-i', prompt],
  codex: (prompt) => [prompt],
  opencode: (prompt) => ['--prompt', prompt],
};

/** The `tidegate exec` command line for an agent that uses the scripted model. */
export function execWords(
  { agent, model: name }: Gated,
  model: Pick<ScriptedModel, 'url' | 'origin'>,
  own: readonly string[],
): readonly string[] {
  const url = agent === 'claude' || agent === 'gemini' ? model.origin : model.url;
  return ['exec', agent, '--model', name, '--base-url', url, '--api-key-env', keyName, '--', ...own];
}

function spawnExec(
  place: GatedPlace,
  gated: Gated,
  model: ScriptedModel,
  { own, env = {} }: { readonly own: readonly string[]; readonly env?: Readonly<Record<string, string>> },
): { readonly child: ChildProcess; readonly said: () => string } {
  const child = spawn(process.execPath, [program, ...execWords(gated, model, own)], {
    cwd: place.workspace,
    env: { ...place.agentEnv, ...blocked(gated, model.origin), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  child.stdout.on('data', (part: Buffer) => (said += part.toString()));
  child.stderr.on('data', (part: Buffer) => (said += part.toString()));
  return { child, said: () => said };
}

/** Runs `tidegate exec` until it exits, with a model that follows the script. */
export async function execAgent(
  place: GatedPlace,
  gated: Gated,
  script: readonly ScriptedTurn[],
  own: readonly string[] = headless[gated.agent]('Do as the script says.'),
): Promise<ExecRun> {
  const model = await openScriptedModel(inConversation(script));
  try {
    const { child, said } = spawnExec(place, gated, model, { own });
    const timer = setTimeout(() => child.kill('SIGTERM'), 90_000);
    const status = await new Promise<number | null>((resolve) => child.once('close', resolve));
    clearTimeout(timer);
    const requests = model.requests.filter(({ tools }) => tools.length > 0);
    return {
      status,
      said: said(),
      requests,
      others: othersIn(requests),
      results: requests.at(-1)?.results.map(({ text }) => text) ?? [],
      logged: loggedCalls(place),
    };
  } finally {
    await model.close();
  }
}

function loggedCalls(place: GatedPlace): readonly unknown[] {
  const file = join(place.env['TIDEGATE_HOME'] ?? '', 'exec.log.jsonl');
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Readonly<Record<string, unknown>>)
    .flatMap((line) => (line['msg'] === 'tool.call' ? [line['name']] : []));
}
