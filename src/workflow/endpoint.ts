// Finds the host an operation sends to: fixed in the file, or chosen by values that may come from an agent.
import { isForeign } from './agent-choices.js';
import { builtinOf, operationInputs } from './grammar/builtin-operations.js';
import type { Step, Workflow } from './grammar/workflow.js';
import { parseTemplate } from './template/parse.js';
import { type Reference, TemplateError } from './template/template.js';

/** The text before an external value must include the whole host and the character after it. */
const closedHost = /^https?:\/\/[^/?#\\\s]+[/?#]/i;
/** The same for a text that starts with an operator value, which is known only at run time. */
const closedBase = /^\0[^/?#\\:\s]*(?::\d+)?[/?#](?!\/)/;

/** External values that choose the host of a URL or a part of it. Anything after the host may vary. */
function hostChoosers(url: string): readonly Reference[] {
  const { references } = parseTemplate(url);
  const foreign = references.filter(isForeign);
  if (foreign.length === 0) return [];
  const before = beforeFirst(url, foreign);
  const shown = before?.replaceAll(/\{\{.*?\}\}/gs, '\0') ?? '';
  return closedHost.test(shown) || closedBase.test(shown) ? [] : foreign;
}

/** Whether the host of a URL is fixed once operator values are filled in. */
export function isHostFixed(url: string, fill: (text: string) => string): boolean {
  const foreign = parseTemplate(url).references.filter(isForeign);
  if (foreign.length === 0) return true;
  const before = beforeFirst(url, foreign);
  return before !== undefined && closedHost.test(fill(before));
}

/** The text before the first external value; undefined if it is not a complete template, such as half an `if`. */
function beforeFirst(url: string, foreign: readonly Reference[]): string | undefined {
  const first = Math.min(...foreign.map(({ offset }) => offset));
  const before = url.slice(0, Math.max(0, url.lastIndexOf('{{', first)));
  try {
    parseTemplate(before);
    return before;
  } catch (error) {
    if (error instanceof TemplateError) return undefined;
    throw error;
  }
}

/** An operation whose host is chosen by an external value. */
export interface ChosenEndpoint {
  readonly step: Step;
  /** Path of the input within the step. */
  readonly way: readonly string[];
  readonly by: readonly string[];
}

export function chosenEndpoints(workflow: Workflow): readonly ChosenEndpoint[] {
  return [...workflow.steps.values()].flatMap((step) => {
    const { endpoint = '' } = builtinOf(step, workflow) ?? {};
    const url = endpoint === '' ? undefined : operationInputs(step)?.[endpoint];
    const by = typeof url === 'string' ? choosersIn(url) : [];
    if (by.length === 0) return [];
    const key = step.kind === 'operation' && step.own.inputs === undefined ? 'operation_inputs' : 'inputs';
    return [{ step, way: [key, endpoint], by }];
  });
}

/** One sentence per endpoint. Such a workflow cannot be trusted. */
export function foreignEndpoints(workflow: Workflow): readonly string[] {
  return chosenEndpoints(workflow).map(
    ({ step, way, by }) =>
      `${by.join(', ')} determines which host receives the request (${[...step.path, ...way].join('.')})`,
  );
}

/** Names of the values that choose the host. Empty for an invalid template: it fails its step anyway. */
export function choosersIn(url: string): readonly string[] {
  try {
    return [...new Set(hostChoosers(url).map(({ path }) => path.join('.') || '$'))];
  } catch (error) {
    if (error instanceof TemplateError) return [];
    throw error;
  }
}
