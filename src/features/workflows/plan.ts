import { type Finding, planLines, planMermaid, readInputs, validateWorkflow } from '../../workflow/index.js';
import { unknownProfile } from '../../workspace/access-refused.js';
import { openWorkflowLibrary, type WorkflowPlace } from '../../workspace/workflow-library.js';
import { withPluginsOf } from './plugins-of.js';
import { gatewayNames } from './gateway-names.js';
import type { OpenTidegate } from '../../workspace/tidegate.js';

export interface PlanOptions extends WorkflowPlace {
  readonly workflow: string;
  readonly version: string;
  readonly text?: string;
  readonly profile?: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
}

export interface Plan {
  readonly kind: 'plan';
  readonly name: string;
  readonly findings: readonly Finding[];
  readonly isValid: boolean;
  readonly lines: readonly string[];
  readonly mermaid: readonly string[];
  readonly problems: readonly string[];
}

/** What a run would do. Starts and saves nothing. */
export async function planFlow(
  openTidegate: OpenTidegate,
  options: PlanOptions,
): Promise<Plan | { readonly kind: 'unknown'; readonly known: readonly string[] }> {
  const library = await openWorkflowLibrary(options);
  const file = options.text === undefined ? library.find(options.workflow) : 'agent.yaml';
  if (file === undefined) return { kind: 'unknown', known: library.list().map(({ name }) => name) };
  const names = await gatewayNames(options);
  if (options.profile !== undefined && !names.profiles.includes(options.profile))
    throw unknownProfile(options.profile, names.profiles);
  const { workflow, findings, isValid } = await withPluginsOf(openTidegate, options, (plugins) =>
    validateWorkflow(file, {
      library,
      names,
      isStrict: false,
      env: options.env,
      plugins,
      signal: options.signal,
      ...(options.text !== undefined && { text: options.text }),
    }),
  );
  const { values, problems, missing } = readInputs(workflow.inputs, options.inputs, library.cwd);
  return {
    kind: 'plan',
    name: workflow.name,
    findings,
    isValid,
    lines: planLines(workflow, values, library),
    mermaid: planMermaid(workflow),
    problems: [...problems, ...missing.map(({ name }) => `The input ${JSON.stringify(name)} is missing.`)],
  };
}
