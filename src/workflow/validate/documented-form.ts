import type { PluginWorkflow } from '../../kernel/index.js';
import type { Step, Workflow } from '../grammar/workflow.js';

/** A workflow as validators of plugins are promised it: plain data, in the flat form. */
export function documentedForm({ name, initial = '', description, inputs, steps }: Workflow): PluginWorkflow {
  return {
    name,
    initial,
    ...(description !== undefined && { description }),
    inputs,
    steps: Object.fromEntries([...steps.values()].map((step) => [step.name, plainStep(step)])),
  };
}

function plainStep({ type, name, common, own }: Step): Readonly<Record<string, unknown>> {
  return { ...common, ...own, name, type };
}
