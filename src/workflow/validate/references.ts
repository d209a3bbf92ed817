import { nearest } from '../../lib/nearest.js';
import { quote } from '../../lib/source-place.js';
import { decidedBy, isForeign } from '../agent-choices.js';
import { chosenEndpoints } from '../endpoint.js';
import type { NotedText } from '../fields/read.js';
import type { Flaw, Report } from '../finding.js';
import type { Workflow } from '../grammar/workflow.js';
import { ExpressionError } from '../expression/expression.js';
import { namesIn, parseExpression } from '../expression/parse.js';
import { parseTemplate } from '../template/parse.js';
import { properties } from '../template/properties.js';
import { spelt } from '../template/render.js';
import { namespaces, type Reference, TemplateError } from '../template/template.js';
import { flawAt } from './flaw-at.js';
import { isPlainValue } from '../inserted-values.js';
import { createGraph, type Graph } from './graph.js';
import { placeInText } from './place-in-text.js';

const folders = [
  'config_dir',
  'data_dir',
  'prompts_dir',
  'scripts_dir',
  'skills_dir',
  'roles_dir',
  'workflows_dir',
  'plugins_dir',
  'pack_name',
];

/** Checks that every template and expression is valid, and that the values it uses can exist. */
export function checkReferences(workflow: Workflow, report: Report): void {
  const graph = createGraph(workflow);
  for (const text of workflow.texts) {
    const addFlaw = (code: Flaw['code'], message: string, offset: number, more: Partial<Flaw> = {}): void =>
      report({
        code,
        message,
        source: text.source,
        path: text.path,
        offset: placeInText(text, offset),
        ...more,
      });
    const uses = usesOf(text, addFlaw);
    for (const use of uses) checkUse({ use, text, workflow, graph, addFlaw });
  }
  for (const { step, way, by } of chosenEndpoints(workflow)) {
    const message = `${by.join(', ')} determines which host receives the request.`;
    report(flawAt(step, way, 'WORKFLOW.VALIDATION.UNSAFE_ENDPOINT', message));
  }
}

type AddFlaw = (code: Flaw['code'], message: string, offset: number, more?: Partial<Flaw>) => void;

function usesOf(text: NotedText, addFlaw: AddFlaw): readonly Reference[] {
  try {
    if (text.holds === 'expression') {
      return namesIn(parseExpression(text.text)).map(({ path, offset }) => ({
        path,
        offset,
        isBare: false,
        isEscaped: true,
      }));
    }
    return text.holds === 'state' ? [] : parseTemplate(text.text).references;
  } catch (error) {
    if (error instanceof TemplateError) addFlaw('WORKFLOW.PARSE.BAD_TEMPLATE', error.message, error.offset);
    else if (error instanceof ExpressionError)
      addFlaw('WORKFLOW.PARSE.BAD_EXPRESSION', error.message, error.offset);
    else throw error;
    return [];
  }
}

interface Use {
  readonly use: Reference;
  readonly text: NotedText;
  readonly workflow: Workflow;
  readonly graph: Graph;
  readonly addFlaw: AddFlaw;
}

function checkUse(given: Use): void {
  const { use, text, addFlaw } = given;
  const [head = '', name] = use.path;
  if (!namespaces.some((known) => known === head)) {
    const near = nearest(head, namespaces);
    const remedy = near === undefined ? {} : { remedy: `Did you mean ${near}?` };
    return addFlaw(
      'WORKFLOW.VALIDATION.UNKNOWN_REFERENCE',
      `Unknown name ${quote(head)}. Available: ${namespaces.join(', ')}.`,
      use.offset,
      remedy,
    );
  }
  if (head === 'inputs') checkInput(given, name);
  else if (head === 'states') checkState(given, name);
  else if (head === 'awf' || head === 'tidegate') checkOneOf(given, folders, name);
  else if (head !== 'env') checkProperty(given, head, name);
  checkEndpoint(given);
  const isGiven = head === 'inputs' || head === 'states' || head === 'loop' || head === 'env';
  if (
    text.holds === 'command' &&
    isGiven &&
    !use.isEscaped &&
    !isPlainValue(use.path, given.workflow.inputs)
  ) {
    const shown = use.path.join('.');
    addFlaw(
      'WORKFLOW.VALIDATION.UNSAFE_COMMAND',
      `${shown} is inserted into the command without escaping.`,
      use.offset,
      {
        remedy: `Use {{escape .${shown}}}.`,
      },
    );
  }
}

function checkEndpoint({ use, text, addFlaw }: Use): void {
  const decided = decidedBy(text);
  if (decided === undefined || !isForeign(use)) return;
  addFlaw('WORKFLOW.VALIDATION.UNSAFE_ENDPOINT', `${use.path.join('.')} determines ${decided}.`, use.offset);
}

function checkInput({ use, workflow, addFlaw, text }: Use, name: string | undefined): void {
  const known = workflow.inputs.map((input) => input.name);
  if (name === undefined || known.includes(name)) return;
  // A condition may test whether an input exists.
  const severity = text.holds === 'expression' ? ({ severity: 'warning' } as const) : {};
  const near = nearest(name, known);
  addFlaw('WORKFLOW.VALIDATION.UNDEFINED_INPUT', `The input ${quote(name)} is not declared.`, use.offset, {
    ...severity,
    ...(near !== undefined && { remedy: `Did you mean ${near}?` }),
  });
}

function checkState(given: Use, name: string | undefined): void {
  const { use, text, workflow, addFlaw } = given;
  if (name === undefined) return;
  const target = workflow.steps.get(name);
  if (target === undefined && workflow.unread.has(name)) return;
  if (target === undefined) {
    const near = nearest(name, [...workflow.steps.keys()]);
    return addFlaw('WORKFLOW.VALIDATION.UNDEFINED_STEP', `There is no state ${quote(name)}.`, use.offset, {
      ...(near !== undefined && { remedy: `Did you mean ${near}?` }),
    });
  }
  checkPart(given, 'states', use.path[2]);
  const user = text.path[0] === 'states' ? text.path[1] : undefined;
  if (typeof user === 'string' && text.path.length > 2) checkOrder(given, name, user);
}

/** Conditions and actions after a step may use its result. */
const afterwards = ['transitions', 'on_failure', 'break_when', 'while'];

function checkOrder({ use, text, workflow, graph, addFlaw }: Use, name: string, user: string): void {
  const isAfter =
    afterwards.includes(String(text.path[2])) || (text.path[2] === 'hooks' && text.path[3] === 'post');
  if (name === user && isAfter) return;
  const step = workflow.steps.get(user);
  const isInside = isAfter && step !== undefined && graph.parentOf(name) === step;
  if (isInside || graph.canFollow(name, user)) return;
  const parent = graph.parentOf(name);
  const areSiblings = parent !== undefined && parent === graph.parentOf(user);
  const message = areSiblings
    ? `${quote(name)} runs in parallel with ${quote(user)} and may not have finished yet.`
    : `${quote(name)} cannot have run before ${quote(user)}.`;
  addFlaw(
    'WORKFLOW.VALIDATION.FORWARD_REFERENCE',
    message,
    use.offset,
    areSiblings ? { severity: 'warning' } : {},
  );
}

function checkProperty(given: Use, head: string, name: string | undefined): void {
  const { use, text, addFlaw, graph } = given;
  if (head === 'error' && !(text.path[0] === 'hooks' && text.path[1] === 'workflow_error')) {
    return addFlaw('WORKFLOW.VALIDATION.ERROR_OUTSIDE_HOOK', '`error` is not available here.', use.offset);
  }
  if (head === 'loop') {
    const user = String(text.path[1]);
    const isLoop = ['while', 'for_each'].includes(given.workflow.steps.get(user)?.kind ?? '');
    const isInside = text.path[0] === 'states' && (isLoop || isInLoop(user, graph));
    if (!isInside)
      return addFlaw('WORKFLOW.VALIDATION.LOOP_OUTSIDE_LOOP', '`loop` is not available here.', use.offset);
  }
  const [, written] = use.isBare ? spelt(use.path) : use.path;
  checkPart(given, head, name === undefined ? undefined : written);
}

function isInLoop(name: string, graph: Graph): boolean {
  const seen = new Set<string>();
  for (
    let parent = graph.parentOf(name);
    parent && !seen.has(parent.name);
    parent = graph.parentOf(parent.name)
  ) {
    if (parent.kind === 'for_each' || parent.kind === 'while') return true;
    seen.add(parent.name);
  }
  return false;
}

function checkPart(given: Use, head: string, part: string | undefined): void {
  checkOneOf(given, Object.keys(properties[head] ?? {}), part);
}

function checkOneOf({ use, addFlaw }: Use, known: readonly string[], part: string | undefined): void {
  if (part === undefined || known.includes(part)) return;
  const near = nearest(part, known);
  addFlaw(
    'WORKFLOW.VALIDATION.INVALID_PROPERTY',
    `Unknown property ${quote(part)}. Available: ${known.join(', ')}.`,
    use.offset,
    {
      ...(near !== undefined && { remedy: `Did you mean ${near}?` }),
    },
  );
}
