import type { ScriptedCall } from 'tidegate/testing';
import type { AgentName } from './agent-binary.js';
import { recipes } from './recipes/index.js';

/** An agent that the suites start through Tidegate. */
export interface Gated {
  readonly title: string;
  readonly agent: AgentName;
  /** The name of the scripted model. The tools of Codex depend on it. */
  readonly model: string;
  /** A call to its own tool that creates the file. */
  readonly touch: (file: string) => ScriptedCall;
  /** Harmless tools besides ours. */
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
  // A placeholder of Claude Code for tools it may show later; it cannot be called.
  leftovers: agent === 'claude' ? ['DeferredToolPlaceholder'] : leftovers,
}));

/** One entry per CLI: Codex in the mode that most of its models use. */
export const gatedClis: readonly Gated[] = gatedAgents.filter(({ title }) => title !== 'Codex, direct');

export function gatedAgent(agent: AgentName): Gated {
  const found = gatedClis.find((one) => one.agent === agent);
  if (found === undefined) throw new Error(`no such agent: ${agent}`);
  return found;
}
