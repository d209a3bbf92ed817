import {
  createNoPlugins,
  type Finding,
  planLines,
  planMermaid,
  readInputs,
  validateWorkflow,
} from '../../workflow/index.js';
import { openWorkflowLibrary, type WorkflowPlace } from './library.js';
import { gateNames } from './validate.js';

export interface PlanWish extends WorkflowPlace {
  readonly workflow: string;
  readonly text?: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

export interface Plan {
  readonly name: string;
  readonly findings: readonly Finding[];
  readonly isValid: boolean;
  readonly lines: readonly string[];
  readonly mermaid: readonly string[];
  readonly problems: readonly string[];
}

/** What a run would do. Nothing is started and nothing is kept. */
export async function planFlow(wish: PlanWish): Promise<Plan | undefined> {
  const library = await openWorkflowLibrary(wish);
  const file = wish.text === undefined ? library.find(wish.workflow) : 'agent.yaml';
  if (file === undefined) return undefined;
  const { workflow, findings, isValid } = await validateWorkflow(file, {
    library,
    names: await gateNames(wish),
    isStrict: false,
    env: wish.env,
    plugins: createNoPlugins(),
    signal: wish.signal,
    ...(wish.text !== undefined && { text: wish.text }),
  });
  const { values, problems, missing } = readInputs(workflow.inputs, wish.inputs, library.cwd);
  return {
    name: workflow.name,
    findings,
    isValid,
    lines: planLines(workflow, values),
    mermaid: planMermaid(workflow),
    problems: [...problems, ...missing.map(({ name }) => `The input ${JSON.stringify(name)} is missing.`)],
  };
}
