import { isAbsent, type MapNode, type Path } from '../../lib/tree.js';
import { nearest } from '../../lib/nearest.js';
import { quote } from '../../lib/source-place.js';
import type { Fields } from '../fields/field.js';
import { missing, readEntries, type Reading, within } from '../fields/read.js';
import { agentFields } from '../fields/agent-fields.js';
import { optionFields } from '../fields/option-fields.js';
import { commonFields, type StepKind, stepFields, stepKinds } from '../fields/tables.js';
import { providerNamed } from './providers.js';
import type { Step } from './workflow.js';

export interface StepPlace {
  readonly name: string;
  readonly node: MapNode;
  readonly path: Path;
  readonly offset: number;
  readonly reading: Reading;
}

/** Nested blocks, with the keys each one may hold. */
const blocks = {
  agent: {
    kind: 'agent',
    fields: { ...agentFields, mcp_proxy: stepFields.agent.mcp_proxy, tidegate: stepFields.agent.tidegate },
  },
  call_workflow: {
    kind: 'call_workflow',
    fields: { ...stepFields.call_workflow, timeout: commonFields.timeout },
  },
} as const satisfies Readonly<Record<string, { readonly kind: StepKind; readonly fields: Fields }>>;

type BlockName = keyof typeof blocks;

export function readStep(place: StepPlace): Step | undefined {
  const { name, node, path, offset } = place;
  const reading = within(place.reading, node);
  const found = kindOfStep({ ...place, reading });
  if (found === undefined) {
    // The kind is unknown: check the common keys, and accept any key that belongs to some kind.
    readEntries(node, commonFields, path, reading, (key) => key in blocks || isOfSomeKind(key));
    return undefined;
  }
  const { kind, type } = found;
  const block = blockOf(node, kind);
  const lifted = block === undefined ? {} : readBlock(node, block, path, reading);
  const isOther = (key: string): boolean => key === block || isIdle(key, kind);
  const own = optional(ownFields(node, kind, block));
  const flat = readEntries(node, { ...commonFields, ...own }, path, reading, isOther);
  const values: Readonly<Record<string, unknown>> = { ...flat, ...lifted };
  reportIdle(node, kind, block, path, reading);
  reportConflicts(node, { flat, lifted, block }, path, reading);
  for (const [key, field] of Object.entries<Fields[string]>(stepFields[kind])) {
    if (field.required === true && !(key in values) && !hasKey(node, block, key))
      missing(key, path, offset, reading);
  }
  const step = { kind, name, type, path, offset, source: reading.source, common: values, own: values };
  // The values were read with the tables of this kind.
  const read = step as Step;
  reportExclusions(read, reading);
  return read;
}

function kindOfStep({
  node,
  path,
  offset,
  reading,
}: StepPlace): { kind: StepKind; type: string } | undefined {
  const entry = node.entries.find(({ key }) => key === 'type');
  const written = entry?.value.kind === 'scalar' ? entry.value.source || String(entry.value.value ?? '') : '';
  const type = written.toLowerCase();
  const isNested = blockNode(node, 'agent') !== undefined;
  if (isNested && ['', 'step', 'command', 'agent'].includes(type)) return { kind: 'agent', type: 'agent' };
  const kind = Object.hasOwn(stepKinds, type) ? stepKinds[type] : undefined;
  if (kind !== undefined) return { kind, type };
  if (type.includes('.')) return { kind: 'plugin', type: written };
  const { source, report } = reading;
  if (type === '') missing('type', path, offset, reading);
  else {
    const near = nearest(type, Object.keys(stepKinds));
    report({
      code: 'WORKFLOW.PARSE.INVALID_VALUE',
      message: `Unknown step type ${quote(written)}. Available: ${Object.keys(stepKinds).join(', ')}.`,
      source,
      offset: entry?.value.start ?? offset,
      path: [...path, 'type'],
      ...(near !== undefined && { remedy: `Did you mean ${near}?` }),
    });
    // Guess the type to find more problems. The finding above already prevents a run.
    const meant = near === undefined ? undefined : stepKinds[near];
    if (near !== undefined && meant !== undefined) return { kind: meant, type: near };
  }
  const likely = likelyKind(node);
  return likely && { kind: likely, type: likely };
}

/** Guesses the kind of a step without a type from the required keys it has. */
function likelyKind({ entries }: MapNode): StepKind | undefined {
  const marks: Readonly<Record<string, StepKind>> = {
    command: 'command',
    script_file: 'command',
    prompt: 'agent',
    prompt_file: 'agent',
    provider: 'agent',
    parallel: 'parallel',
    items: 'for_each',
    while: 'while',
    operation: 'operation',
    workflow: 'call_workflow',
  };
  const key = entries.map((entry) => entry.key).find((name) => Object.hasOwn(marks, name));
  return key === undefined ? undefined : marks[key];
}

function blockNode(node: MapNode, name: BlockName): MapNode | undefined {
  const value = node.entries.find(({ key }) => key === name)?.value;
  return value?.kind === 'map' ? value : undefined;
}

function blockOf(node: MapNode, kind: StepKind): BlockName | undefined {
  if (kind !== 'agent' && kind !== 'call_workflow') return undefined;
  return blockNode(node, kind) === undefined ? undefined : kind;
}

function readBlock(
  node: MapNode,
  block: BlockName,
  path: Path,
  reading: Reading,
): Readonly<Record<string, unknown>> {
  const inside = blockNode(node, block);
  if (inside === undefined) return {};
  const fields: Fields = { ...blocks[block].fields, ...optionsOf(node, block, block) };
  return readEntries(inside, optional(fields), [...path, block], within(reading, inside));
}

/** Keys of this kind. Options of a provider Tidegate can run have their own table. */
function ownFields(node: MapNode, kind: StepKind, block: BlockName | undefined): Fields {
  return { ...stepFields[kind], ...optionsOf(node, kind, block) };
}

function optionsOf(node: MapNode, kind: StepKind, block: BlockName | undefined): Fields {
  if (kind !== 'agent') return {};
  const places = [node, ...(block === undefined ? [] : [blockNode(node, block)])];
  const provider = places
    .flatMap((place) => place?.entries.filter(({ key }) => key === 'provider') ?? [])
    .at(-1)?.value;
  const name = provider?.kind === 'scalar' ? (providerNamed(String(provider.value)) ?? '') : '';
  const tables: Readonly<Record<string, Fields>> = optionFields;
  const fields = Object.hasOwn(tables, name) ? tables[name] : undefined;
  return fields === undefined
    ? {}
    : { options: { kind: 'record', description: agentFields.options.description, fields } };
}

/** Whether the key belongs to another kind of step. */
function isIdle(key: string, kind: StepKind): boolean {
  if (key in commonFields || key in stepFields[kind]) return false;
  return isOfSomeKind(key);
}

function isOfSomeKind(key: string): boolean {
  return Object.values<Fields>(stepFields).some((fields) => key in fields);
}

function optional(fields: Fields): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([key, { required: _, ...field }]) => [key, field as Fields[string]]),
  );
}

function hasKey(node: MapNode, block: BlockName | undefined, key: string): boolean {
  const inside = block === undefined ? undefined : blockNode(node, block);
  return [node, inside].some((map) =>
    map?.entries.some((entry) => entry.key === key && !isAbsent(entry.value)),
  );
}

function reportIdle(
  { entries }: MapNode,
  kind: StepKind,
  block: BlockName | undefined,
  path: Path,
  { report, source }: Reading,
): void {
  for (const { key, start } of entries) {
    // A command next to `agent:` is reported as a conflict.
    const isConflict = block === 'agent' && (key === 'command' || key === 'script_file');
    if (key === block || isConflict || !isIdle(key, kind)) continue;
    report({
      code: 'WORKFLOW.PARSE.IDLE_FIELD',
      message: `${quote(key)} has no effect in a step of type ${kind}.`,
      source,
      offset: start,
      path: [...path, key],
    });
  }
}

interface Forms {
  readonly flat: Readonly<Record<string, unknown>>;
  readonly lifted: Readonly<Record<string, unknown>>;
  readonly block: BlockName | undefined;
}

/** A key in both forms must have the same value; a command next to `agent:` would never run. */
function reportConflicts({ entries }: MapNode, forms: Forms, path: Path, { report, source }: Reading): void {
  const { flat, lifted, block } = forms;
  if (block === undefined) return;
  for (const { key, start } of entries) {
    const isTwice = key in lifted && key in flat && JSON.stringify(lifted[key]) !== JSON.stringify(flat[key]);
    const isCommand = block === 'agent' && (key === 'command' || key === 'script_file');
    if (!isTwice && !isCommand) continue;
    const message = isTwice
      ? `${quote(key)} is set twice, here and in \`${block}:\`, with different values.`
      : `${quote(key)} and \`agent:\` cannot be used together.`;
    report({
      code: 'WORKFLOW.PARSE.CONFLICTING_FIELDS',
      message,
      source,
      offset: start,
      path: [...path, key],
    });
  }
}

/** Checks keys of which exactly one, or at most one, is allowed. */
function reportExclusions(step: Step, reading: Reading): void {
  const { path, offset } = step;
  const both = (first: string, second: string): void =>
    reading.report({
      code: 'WORKFLOW.PARSE.CONFLICTING_FIELDS',
      message: `${quote(first)} and ${quote(second)} cannot be used together.`,
      source: reading.source,
      offset,
      path,
    });
  if (step.kind === 'command') {
    const { command, script_file: script } = step.own;
    if (command !== undefined && script !== undefined) both('command', 'script_file');
    if (command === undefined && script === undefined) missing('command', path, offset, reading);
  } else if (step.kind === 'agent') {
    const { prompt, prompt_file: file, mode } = step.own;
    if (file !== undefined && mode === 'conversation') both('prompt_file', 'mode: conversation');
    else if (prompt !== undefined && file !== undefined) both('prompt', 'prompt_file');
    if (prompt === undefined && file === undefined) missing('prompt', path, offset, reading);
  } else if (step.kind === 'operation') {
    if (step.own.inputs !== undefined && step.own.operation_inputs !== undefined)
      both('inputs', 'operation_inputs');
  }
}
