import { isAbsent, kindOf, type MapNode, type TreeNode } from '../../lib/tree.js';
import { quote } from '../../lib/source-place.js';
import { type NotedText, readFields, type Reading } from '../fields/read.js';
import { workflowFields } from '../fields/tables.js';
import { type Finding, findingOf, type Flaw, type Source } from '../finding.js';
import { readStep } from './read-step.js';
import { type FindTemplate, useTemplate } from './use-template.js';
import type { Input, Output, Step, Workflow } from './workflow.js';

export interface Read {
  readonly workflow: Workflow;
  readonly findings: readonly Finding[];
}

/** Reads a workflow from a tree. Reports all problems and leaves out invalid parts. */
export function readWorkflow(source: Source, findTemplate: FindTemplate): Read {
  const flaws: Flaw[] = [];
  const texts: NotedText[] = [];
  const reading: Reading = {
    source,
    report: (flaw) => void flaws.push(flaw),
    note: (text) => void texts.push(text),
    origins: new WeakMap(),
  };
  const root = rootOf(source, reading);
  const {
    name = '',
    description,
    env = [],
    inputs = [],
    hooks = {},
    plugins = {},
    outputs,
  } = readFields(root, workflowFields, [], reading);
  const { initial, steps, unread } = readStates(root, reading, findTemplate);
  const workflow: Workflow = {
    source,
    name,
    ...(description !== undefined && { description }),
    ...(initial !== undefined && { initial }),
    env,
    inputs: namedInputs(inputs, root, reading),
    outputs: outputsOf(outputs),
    hooks,
    plugins,
    steps,
    unread,
    texts,
  };
  return { workflow, findings: flaws.map(findingOf) };
}

function rootOf(source: Source, { report }: Reading): MapNode {
  if (source.root.kind === 'map') return source.root;
  const message = `A workflow must be a mapping, not ${kindOf(source.root)}.`;
  report({ code: 'WORKFLOW.PARSE.INVALID_VALUE', message, source, offset: source.root.start, path: [] });
  return { kind: 'map', entries: [], start: 0, end: 0 };
}

function namedInputs(
  inputs: readonly Partial<Input>[],
  root: MapNode,
  { report, source }: Reading,
): readonly Input[] {
  const known = new Map<string, Input>();
  const list = root.entries.find(({ key }) => key === 'inputs')?.value;
  for (const [at, input] of inputs.entries()) {
    const { name } = input;
    if (name === undefined) continue;
    if (known.has(name)) {
      const node = list?.kind === 'list' ? list.items[at] : undefined;
      const message = `Duplicate input ${quote(name)}.`;
      const path = ['inputs', at, 'name'];
      report({ code: 'WORKFLOW.PARSE.INVALID_VALUE', message, source, offset: node?.start ?? 0, path });
    } else known.set(name, { ...input, name, at });
  }
  return [...known.values()];
}

type WrittenOutputs = Readonly<Record<string, string>> | readonly Partial<Output>[];

function outputsOf(written: WrittenOutputs | undefined): readonly Output[] {
  if (written === undefined) return [];
  if (isList(written)) {
    return written.flatMap(({ name, from }) =>
      name === undefined || from === undefined ? [] : [{ name, from }],
    );
  }
  return Object.entries(written).map(([name, from]) => ({ name, from }));
}

function isList(written: WrittenOutputs): written is readonly Partial<Output>[] {
  return Array.isArray(written);
}

interface States {
  readonly initial?: string;
  readonly steps: ReadonlyMap<string, Step>;
  readonly unread: ReadonlySet<string>;
}

function readStates(root: MapNode, reading: Reading, findTemplate: FindTemplate): States {
  const { source, report } = reading;
  const states = root.entries.find(({ key }) => key === 'states')?.value;
  const steps = new Map<string, Step>();
  const unread = new Set<string>();
  if (states === undefined || isAbsent(states)) return { steps, unread };
  if (states.kind !== 'map') {
    const message = `\`states\` must be a mapping, not ${kindOf(states)}.`;
    report({ code: 'WORKFLOW.PARSE.INVALID_VALUE', message, source, offset: states.start, path: ['states'] });
    return { steps, unread };
  }
  let initial: string | undefined;
  for (const { key, start, value } of states.entries) {
    const path = ['states', key];
    if (key === 'initial' && value.kind === 'scalar') {
      initial = String(value.value ?? '');
      reading.note({ holds: 'state', text: initial, source, offset: value.start, path });
      continue;
    }
    const node = stateNode(value, start, path, reading);
    const full = node && useTemplate({ node, path, reading, findTemplate });
    const step = full && readStep({ name: key, node: full, path, offset: start, reading });
    if (step) steps.set(key, step);
    else unread.add(key);
  }
  if (initial === undefined) noInitial(states, reading);
  return { ...(initial !== undefined && { initial }), steps, unread };
}

function noInitial(states: MapNode, { report, source }: Reading): void {
  report({
    code: 'WORKFLOW.PARSE.MISSING_FIELD',
    message: '"initial" is missing. It names the first state.',
    source,
    offset: states.start,
    path: ['states'],
    remedy: 'Add `initial: <name>` under `states`.',
  });
}

function stateNode(
  value: TreeNode,
  offset: number,
  path: readonly string[],
  { report, source }: Reading,
): MapNode | undefined {
  if (value.kind === 'map') return value;
  const message = `A state must be a mapping, not ${kindOf(value)}.`;
  report({ code: 'WORKFLOW.PARSE.INVALID_VALUE', message, source, offset, path });
  return undefined;
}
