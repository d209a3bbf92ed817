import type { ScriptedCall } from 'tidegate/testing';
import type { AgentName } from './agent-binary.js';
import { recipes } from './recipes/index.js';

/** An agent as the suites let Tidegate start it. */
export interface Gated {
  readonly title: string;
  readonly agent: AgentName;
  /** Of the scripted model. The tools of Codex follow the name. */
  readonly model: string;
  /** Its own tool, called so that it makes the file. */
  readonly touch: (file: string) => ScriptedCall;
  /** Tools beside ours that can do nothing by themselves. */
  readonly leftovers: readonly string[];
}

const models: Readonly<Record<string, string>> = {
  'Claude Code': 'claude-test',
  'Gemini CLI': 'gemini-2.5-pro',
  'Codex, direct': 'gpt-5.5',
  'Codex, code mode': 'gpt-6.1-sol',
  OpenCode: 'probe',
};

export const gatedAgents: readonly Gated[] = recipes.map(({ name, agent, touch, leftovers }) => ({
  title: name,
  agent,
  model: models[name] ?? '',
  touch,
  // Claude Code says so of tools that it may show later; nothing answers to it.
  leftovers: agent === 'claude' ? ['DeferredToolPlaceholder'] : leftovers,
}));

/** One of each CLI: Codex in the mode of most of its models. */
export const gatedClis: readonly Gated[] = gatedAgents.filter(({ title }) => title !== 'Codex, direct');

export function gatedAgent(agent: AgentName): Gated {
  const found = gatedClis.find((one) => one.agent === agent);
  if (found === undefined) throw new Error(`no such agent: ${agent}`);
  return found;
}
