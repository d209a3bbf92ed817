import { printable } from '../config/index.js';
import type { Given } from './command.js';

const ofAgent: readonly string[] = ['prompt', 'system', 'model', 'base-url', 'api-key-env', 'tools'];

/** Options of `tidegate run` that were typed and change nothing. */
export function idleNotes({ options, lists }: Given): readonly string[] {
  const hasAgent = options['agent'] !== undefined;
  const isGiven = (name: string): boolean => (lists?.[name] ?? []).length > 0;
  const idle = ofAgent.filter((name) => !hasAgent && options[name] !== undefined);
  const steps = 'the agents of a workflow have theirs in their steps';
  return [
    ...idle.map((name) => `--${name} is for --agent, and does nothing here: ${steps}.`),
    ...(hasAgent && isGiven('input') ? ['--input is for workflows, and does nothing with --agent.'] : []),
    ...(isGiven('mock') && options['step'] === undefined
      ? ['--mock is for --step, and does nothing without it.']
      : []),
  ];
}

export function idleProfile(profile: string): string {
  return `the workflow has no agent and no operation, so the profile ${printable(profile)} holds nobody back.`;
}
