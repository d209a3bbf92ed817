import type { PluginWorkflow } from '../../ports/plugins.js';
import type { Step, Workflow } from '../grammar/workflow.js';

/** A workflow in the documented form for plugin validators: plain, flat data. */
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
