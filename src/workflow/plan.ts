import { printable } from '../kernel/index.js';
import { calledBy } from './bundle.js';
import { durationText } from './fields/amounts.js';
import { providerNamed } from './grammar/providers.js';
import { childrenOf, type HookActions, leadsOf, type Step, type Workflow } from './grammar/workflow.js';
import type { Library } from './library.js';
import { attemptsOf, timeoutOf } from './run/retries.js';
import { isIsolated, stepTools } from './step-tools.js';

/**
 * What a run would do, in the order in which it would most likely come: nothing of it is done.
 * Every command that can run is in it, whole: somebody decides by it.
 */
export function planLines(
  workflow: Workflow,
  inputs: Readonly<Record<string, unknown>>,
  library: Library,
): readonly string[] {
  const given = Object.entries(inputs).map(([name, value]) => `  ${name} = ${JSON.stringify(value)}`);
  const { description, hooks } = workflow;
  const hooked = Object.entries(hooks).flatMap(([name, actions]) => hookLines(name, actions));
  return [
    `Workflow ${workflow.name}${description === undefined ? '' : `: ${oneLine(description)}`}`,
    ...(given.length > 0 ? ['Inputs:', ...given] : []),
    ...(hooked.length > 0 ? ['Hooks:', ...hooked.map((line) => `  ${line}`)] : []),
    'Steps:',
    ...stepsOf(workflow, '  ', { library, trail: [workflow.source.file], shown: new Set() }),
  ].map(printable);
}

interface Calls {
  readonly library: Library;
  /** The files of the workflows that led here. */
  readonly trail: readonly string[];
  /** Files whose steps stand in the plan already. */
  readonly shown: Set<string>;
}

function stepsOf(workflow: Workflow, indent: string, calls: Calls): readonly string[] {
  return ordered(workflow).flatMap(({ step, depth }) => {
    const inner = indent + '  '.repeat(depth);
    return [...stepLines(step, inner), ...calledLines(step, `${inner}    `, calls)];
  });
}

/** The steps of a called workflow, once. Its own hooks do not run when it is called. */
function calledLines(step: Step, indent: string, { library, trail, shown }: Calls): readonly string[] {
  const file = calledBy(step, library);
  if (file === undefined) return [];
  if (trail.includes(file) || shown.has(file)) return [`${indent}its steps are shown above`];
  shown.add(file);
  const { workflow } = library.load(file);
  return [
    `${indent}its steps:`,
    ...stepsOf(workflow, `${indent}  `, { library, trail: [...trail, file], shown }),
  ];
}

function hookLines(name: string, actions: HookActions | undefined): readonly string[] {
  return (actions ?? []).flatMap(({ command }) =>
    command === undefined ? [] : whole(`${name} runs`, command),
  );
}

/** All lines of a text that will be run. */
function whole(label: string, text: string): readonly string[] {
  const lines = text.trim().split('\n');
  if (lines.length === 1) return [`${label}: ${lines[0] ?? ''}`];
  return [`${label}:`, ...lines.map((line) => `  | ${line.replaceAll('\t', '  ')}`)];
}

interface Placed {
  readonly step: Step;
  readonly depth: number;
}

/** Along the ways of success first; branches and bodies inside of their step. */
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
  const facts = factsOf(step).map((fact) => `${indent}    ${fact}`);
  const ways = leadsOf(step).map(({ to, path }) => `${wayWord(step, path)} ${to}`);
  return [
    `${indent}${step.name} (${step.type})${ways.length > 0 ? `  → ${ways.join(', ')}` : ''}`,
    ...(step.common.description === undefined ? [] : [`${indent}    ${oneLine(step.common.description)}`]),
    ...facts,
  ];
}

function wayWord({ common }: Step, path: readonly (string | number)[]): string {
  const [, , key, at] = path;
  if (key === 'on_success') return 'success:';
  if (key === 'on_failure') return 'failure:';
  if (key === 'on_complete') return 'complete:';
  const when = typeof at === 'number' ? common.transitions?.[at]?.when : undefined;
  return when === undefined ? 'always:' : `when ${when}:`;
}

function factsOf(step: Step): readonly string[] {
  const limit = timeoutOf(step);
  const tries = attemptsOf(step);
  const times = [
    ...(step.kind === 'terminal' ? [] : [`time: ${limit === undefined ? 'no limit' : durationText(limit)}`]),
    ...(tries > 1 ? [`attempts: ${tries}`] : []),
  ];
  const { pre, post } = step.common.hooks ?? {};
  const hooked = [...hookLines('pre hook', pre), ...hookLines('post hook', post)];
  return [...ownFacts(step), ...hooked, ...(times.length > 0 ? [times.join(', ')] : [])];
}

function ownFacts(step: Step): readonly string[] {
  switch (step.kind) {
    case 'command':
      return [
        ...whole('runs', step.own.command ?? `script ${step.own.script_file ?? ''}`),
        ...(step.own.dir === undefined ? [] : [`in: ${step.own.dir}`]),
      ];
    case 'agent':
      return agentFacts(step);
    case 'parallel':
      return [`strategy: ${step.own.strategy ?? 'all_succeed'}`];
    case 'for_each':
      return [`for each of: ${oneLine(JSON.stringify(step.own.items))}`];
    case 'while':
      return [`while: ${step.own.while ?? ''}`];
    case 'operation':
      return [
        `calls: ${step.own.operation ?? ''}`,
        ...withData(step.own.inputs ?? step.own.operation_inputs),
      ];
    case 'call_workflow':
      return [`workflow: ${step.own.workflow ?? ''}`, ...withData(step.own.inputs)];
    case 'terminal':
      return [`ends: ${step.own.status === 'failure' ? 'failure' : 'success'}`];
    case 'plugin':
      return withData(step.own.config);
  }
}

function withData(data: unknown): readonly string[] {
  return data === undefined ? [] : [`with: ${JSON.stringify(data)}`];
}

function agentFacts({ own }: Extract<Step, { readonly kind: 'agent' }>): readonly string[] {
  const { patterns, servers, pluginTools, profile } = stepTools(own.mcp_proxy, own.tidegate);
  const plugins = pluginTools.flatMap(({ plugin, expose }) => expose.map((name) => `${plugin}_${name}`));
  const tools = [...patterns, ...plugins, ...servers.map((server) => `all of ${server}`)];
  const hasNatives =
    providerNamed(own.provider ?? '') !== 'openai_compatible' && !isIsolated(own.mcp_proxy, own.tidegate);
  const { continue_from: from } = own.conversation ?? {};
  return [
    `agent: ${own.provider ?? ''}${modelOf(own.options)}`,
    ...(from === undefined ? [] : [`continues: ${from}`]),
    `prompt: ${oneLine(own.prompt ?? `file ${own.prompt_file ?? ''}`)}`,
    `tools: ${tools.length === 0 ? 'none of the gate' : tools.join(', ')}${profile === undefined ? '' : ` within profile ${profile}`}`,
    `isolation: ${hasNatives ? 'none: it keeps its own tools, and their calls do not pass the gate' : 'only tools of the gate'}`,
  ];
}

function modelOf(options: unknown): string {
  const model = typeof options === 'object' && options !== null && 'model' in options ? options.model : '';
  return typeof model === 'string' && model !== '' ? ` (model ${model})` : '';
}

const longest = 120;

function oneLine(text: string): string {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  return line.length > longest ? `${line.slice(0, longest - 1)}…` : line;
}

/** The same as a Mermaid flowchart. */
export function planMermaid(workflow: Workflow): readonly string[] {
  const ids = new Map([...workflow.steps.keys()].map((name, at) => [name, `s${String(at)}`]));
  const idOf = (name: string): string => ids.get(name) ?? 'missing';
  const lines = ['flowchart TD', `  start([start]) --> ${idOf(workflow.initial ?? '')}`];
  for (const step of workflow.steps.values()) {
    const label = `"${step.name.replaceAll('"', "'")}<br/>${step.type}"`;
    lines.push(`  ${idOf(step.name)}${step.kind === 'terminal' ? `([${label}])` : `[${label}]`}`);
    for (const child of childrenOf(step)) lines.push(`  ${idOf(step.name)} -.-> ${idOf(child)}`);
    for (const { to, path } of leadsOf(step)) {
      const word = wayWord(step, path).replace(/:$/, '').replaceAll('"', "'").replaceAll('|', '/');
      lines.push(`  ${idOf(step.name)} -->|"${word}"| ${idOf(to)}`);
    }
  }
  return lines.map(printable);
}
