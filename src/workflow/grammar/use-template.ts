import { isAbsent, type MapEntry, type MapNode, type Path, type TreeNode } from '../../lib/tree.js';
import { nearest } from '../../lib/nearest.js';
import { quote } from '../../lib/source-place.js';
import { readFields, type Reading } from '../fields/read.js';
import { templateFields } from '../fields/tables.js';
import type { Source } from '../finding.js';
import { fillParameters, soleParameter } from './fill-parameters.js';

/** Returns the parsed template with this name; undefined if there is none. */
export type FindTemplate = (name: string) => Source | undefined;

export interface Use {
  readonly node: MapNode;
  readonly path: Path;
  readonly reading: Reading;
  readonly findTemplate: FindTemplate;
  /** Templates used so far, to detect a template that uses itself. */
  readonly trail?: readonly string[];
}

const deepest = 10;

/** Replaces `use_template` with the state of the template. Keys of the state itself take precedence. */
export function useTemplate(use: Use): MapNode | undefined {
  const { node, path, reading, findTemplate, trail = [] } = use;
  const entry = node.entries.find(({ key }) => key === 'use_template');
  if (entry === undefined || isAbsent(entry.value)) return node;
  const name = entry.value.kind === 'scalar' ? String(entry.value.value) : '';
  const refuse = (message: string): undefined => {
    const { source, report } = reading;
    const offset = entry.value.start;
    report({
      code: 'WORKFLOW.VALIDATION.UNKNOWN_TEMPLATE',
      message,
      source,
      offset,
      path: [...path, 'use_template'],
    });
  };
  if (trail.includes(name))
    return refuse(`The template ${quote(name)} uses itself: ${[...trail, name].join(' → ')}.`);
  if (trail.length >= deepest) return refuse('Templates are nested too deeply.');
  const source = findTemplate(name);
  if (source === undefined) return refuse(`There is no template ${quote(name)}.`);
  if (source.root.kind !== 'map') return refuse(`The template ${quote(name)} is not a mapping.`);
  const state = stateOf(source.root, name);
  if (state === undefined) return refuse(`The template ${quote(name)} must have exactly one state.`);
  const filled = fill(state, parametersOf(use, source, source.root), source, reading);
  const inner = useTemplate({
    ...use,
    node: filled,
    reading: { ...reading, source },
    trail: [...trail, name],
  });
  return inner && merged(node, inner);
}

/** The only state; if there are several, the one named like the template. */
function stateOf(root: MapNode, name: string): MapNode | undefined {
  const states = root.entries.find(({ key }) => key === 'states')?.value;
  if (states?.kind !== 'map') return undefined;
  const found = states.entries.filter(({ value }) => value.kind === 'map');
  const chosen = found.length === 1 ? found[0] : found.find(({ key }) => key === name);
  return chosen?.value.kind === 'map' ? chosen.value : undefined;
}

function parametersOf(
  { node, path, reading }: Use,
  source: Source,
  root: MapNode,
): ReadonlyMap<string, TreeNode> {
  const declared = readFields(root, templateFields, [], { ...reading, source }).parameters ?? [];
  const given = node.entries.find(({ key }) => key === 'parameters');
  const entries = given?.value.kind === 'map' ? given.value.entries : [];
  const list = root.entries.find(({ key }) => key === 'parameters')?.value;
  const values = new Map<string, TreeNode>();
  const known = declared.flatMap(({ name }) => (name === undefined ? [] : [name]));
  const addFlaw = (message: string, offset: number, at: Path, remedy?: string): void =>
    reading.report({
      code: 'WORKFLOW.VALIDATION.MISSING_PARAMETER',
      message,
      source: reading.source,
      offset,
      path: at,
      ...(remedy !== undefined && { remedy }),
    });
  for (const { key, start, value } of entries) {
    if (known.includes(key)) values.set(key, value);
    else {
      const near = nearest(key, known);
      addFlaw(
        `The template has no parameter ${quote(key)}.`,
        start,
        [...path, 'parameters', key],
        near && `Did you mean ${near}?`,
      );
    }
  }
  for (const [at, { name, required }] of declared.entries()) {
    if (name === undefined || values.has(name)) continue;
    const item = list?.kind === 'list' ? list.items[at] : undefined;
    const fallback =
      item?.kind === 'map' ? item.entries.find(({ key }) => key === 'default')?.value : undefined;
    if (fallback !== undefined) values.set(name, fallback);
    else {
      values.set(name, { kind: 'scalar', value: '', source: '', start: 0, end: 0 });
      if (required !== true) continue;
      addFlaw(`The template parameter ${quote(name)} is missing.`, given?.start ?? node.start, path);
    }
  }
  return values;
}

/** Copies a tree with `{{parameters.x}}` filled in; each node remembers its file. */
function fill(
  state: MapNode,
  values: ReadonlyMap<string, TreeNode>,
  source: Source,
  { origins }: Reading,
): MapNode {
  const filled = <N extends TreeNode>(node: N): N => {
    const copy = copied(node) as N;
    origins.set(copy, source);
    return copy;
  };
  const copied = (node: TreeNode): TreeNode => {
    if (node.kind === 'list') return { ...node, items: node.items.map(filled) };
    if (node.kind === 'map')
      return { ...node, entries: node.entries.map((entry) => ({ ...entry, value: filled(entry.value) })) };
    if (typeof node.value !== 'string') return node;
    const { start, end } = node;
    const sole = soleParameter(node.value, values);
    if (sole !== undefined) return { ...sole, start, end };
    const text = fillParameters(node.value, values);
    return { ...node, value: text, source: text };
  };
  return filled(state);
}

function merged(using: MapNode, template: MapNode): MapNode {
  const own = using.entries.filter(({ key }) => key !== 'use_template' && key !== 'parameters');
  const taken = new Set(own.map(({ key }) => key));
  const entries: readonly MapEntry[] = [...template.entries.filter(({ key }) => !taken.has(key)), ...own];
  return { kind: 'map', entries, start: using.start, end: using.end };
}
