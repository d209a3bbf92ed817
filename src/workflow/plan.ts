import { printable } from '../lib/printable.js';
import { calledBy } from './bundle.js';
import { childrenOf, leadsOf, type Step, type Workflow } from './grammar/workflow.js';
import { inputFacts } from './input-facts.js';
import type { Library } from './library.js';
import { variablesOfExpression } from './operation-facts.js';
import { givenVariables, hookLines, stepFacts } from './step-facts.js';

/**
 * Shows what a run would do, in the most likely order, without running anything. Lists every command, program,
 * endpoint, API key, prompt and default in full, because a person decides on trust based on this.
 */
export function planLines(
  workflow: Workflow,
  inputs: Readonly<Record<string, unknown>>,
  library: Library,
): readonly string[] {
  const { description, hooks, plugins } = workflow;
  const hooked = Object.entries(hooks).flatMap(([name, actions]) => hookLines(name, actions));
  return [
    `Workflow ${workflow.name}${description === undefined ? '' : `: ${oneLine(description)}`}`,
    ...(library.isUnsandboxed(workflow.source.file)
      ? ['Commands run outside the sandbox, with your permissions, even if an agent starts the workflow.']
      : []),
    ...inputLines(workflow, inputs, ''),
    ...pluginLines(plugins),
    ...(hooked.length > 0 ? ['Hooks:', ...hooked.map((line) => `  ${line}`)] : []),
    'Steps:',
    ...stepsOf(workflow, '  ', { library, trail: [workflow.source.file], shown: new Set() }),
    ...outputLines(workflow),
  ].map(printable);
}

function inputLines(workflow: Workflow, given: Readonly<Record<string, unknown>>, indent: string) {
  const facts = inputFacts(workflow, given);
  return facts.length === 0 ? [] : [`${indent}Inputs:`, ...facts.map((line) => `${indent}  ${line}`)];
}

function pluginLines(plugins: Workflow['plugins']): readonly string[] {
  const names = Object.entries(plugins).map(([short, name]) => `${short} = ${name}`);
  return names.length === 0 ? [] : [`Plugins: ${names.join(', ')}`];
}

/** What the caller of a run gets: an agent, if it started the run. */
function outputLines({ outputs }: Workflow): readonly string[] {
  if (outputs.length === 0) return [];
  const variables = outputs.flatMap(({ from }) => variablesOfExpression(from));
  return [
    'Outputs returned to the caller:',
    ...[...outputs.map(({ name, from }) => `${name} = ${from}`), ...givenVariables(variables)].map(
      (line) => `  ${line}`,
    ),
  ];
}

interface Calls {
  readonly library: Library;
  /** Files of the workflows that led here. */
  readonly trail: readonly string[];
  /** Files whose steps are already part of the plan. */
  readonly shown: Set<string>;
}

function stepsOf(workflow: Workflow, indent: string, calls: Calls): readonly string[] {
  return ordered(workflow).flatMap(({ step, depth }) => {
    const inner = indent + '  '.repeat(depth);
    return [...stepLines(step, inner), ...calledLines(step, `${inner}    `, calls)];
  });
}

/** Lists the steps of a called workflow once. Its workflow hooks do not run when it is called. */
function calledLines(step: Step, indent: string, { library, trail, shown }: Calls): readonly string[] {
  const file = calledBy(step, library);
  if (file === undefined) return [];
  if (trail.includes(file) || shown.has(file)) return [`${indent}its steps are shown above`];
  shown.add(file);
  const { workflow } = library.load(file);
  return [
    ...inputLines(workflow, {}, indent),
    ...pluginLines(workflow.plugins).map((line) => indent + line),
    `${indent}its steps:`,
    ...stepsOf(workflow, `${indent}  `, { library, trail: [...trail, file], shown }),
    ...outputLines(workflow).map((line) => indent + line),
  ];
}

interface Placed {
  readonly step: Step;
  readonly depth: number;
}

/** Follows success transitions first; branches and loop bodies come right after their step. */
function ordered({ steps, initial = '' }: Workflow): readonly Placed[] {
  const placed: Placed[] = [];
  const seen = new Set<string>();
  const visit = (name: string, depth: number): void => {
    const step = steps.get(name);
    if (step === undefined || seen.has(name)) return;
    seen.add(name);
    placed.push({ step, depth });
    for (const child of childrenOf(step)) visit(child, depth + 1);
    const { on_success: first } = step.common;
    const ways = leadsOf(step).map(({ to }) => to);
    if (depth === 0) for (const to of [...(first === undefined ? [] : [first]), ...ways]) visit(to, 0);
  };
  visit(initial, 0);
  for (const name of steps.keys()) visit(name, 0);
  return placed;
}

function stepLines(step: Step, indent: string): readonly string[] {
  const facts = stepFacts(step).map((fact) => `${indent}    ${fact}`);
  const ways = leadsOf(step).map(({ to, path }) => `${describeTransition(step, path)} ${to}`);
  return [
    `${indent}${step.name} (${step.type})${ways.length > 0 ? `  → ${ways.join(', ')}` : ''}`,
    ...(step.common.description === undefined ? [] : [`${indent}    ${oneLine(step.common.description)}`]),
    ...facts,
  ];
}

function describeTransition({ common }: Step, path: readonly (string | number)[]): string {
  const [, , key, at] = path;
  if (key === 'on_success') return 'success:';
  if (key === 'on_failure') return 'failure:';
  if (key === 'on_complete') return 'complete:';
  const when = typeof at === 'number' ? common.transitions?.[at]?.when : undefined;
  return when === undefined ? 'always:' : `when ${when}:`;
}

const longest = 120;

function oneLine(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}

/** The plan as a Mermaid flowchart. */
export function planMermaid(workflow: Workflow): readonly string[] {
  const ids = new Map([...workflow.steps.keys()].map((name, at) => [name, `s${String(at)}`]));
  const idOf = (name: string): string => ids.get(name) ?? 'missing';
  const lines = ['flowchart TD', `  start([start]) --> ${idOf(workflow.initial ?? '')}`];
  for (const step of workflow.steps.values()) {
    const label = `"${step.name.replaceAll('"', "'")}<br/>${step.type}"`;
    lines.push(`  ${idOf(step.name)}${step.kind === 'terminal' ? `([${label}])` : `[${label}]`}`);
    for (const child of childrenOf(step)) lines.push(`  ${idOf(step.name)} -.-> ${idOf(child)}`);
    for (const { to, path } of leadsOf(step)) {
      const word = describeTransition(step, path).replace(/:$/, '').replaceAll('"', "'").replaceAll('|', '/');
      lines.push(`  ${idOf(step.name)} -->|"${word}"| ${idOf(to)}`);
    }
  }
  return lines.map(printable);
}
