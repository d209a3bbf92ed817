import { isRecord } from '../../lib/is-record.js';
import { parseTemplate } from './parse.js';
import { type Nodes, type Operand, type Pipeline, TemplateError } from './template.js';
import { isTrue, rawText, type TemplateFunction, templateFunctions } from './functions.js';

export interface Scope {
  /** Namespaces by name. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Reads a file of the workspace. */
  readonly readFile: (path: string) => string;
}

/** Fills in a text with {{ }}. Throws a TemplateError if a value does not exist. */
export function renderTemplate(text: string, scope: Scope): string {
  if (!text.includes('{{')) return text;
  const { nodes } = parseTemplate(text);
  return renderNodes(nodes, { scope, dot: scope.values, variables: new Map() });
}

interface Place {
  readonly scope: Scope;
  readonly dot: unknown;
  readonly variables: Map<string, unknown>;
}

const longest = 10 * 1024 * 1024;

function renderNodes(nodes: Nodes, place: Place): string {
  let text = '';
  for (const node of nodes) {
    if (node.kind === 'text') text += node.text;
    else if (node.kind === 'show') {
      const value = evaluate(node.pipeline, place);
      if (node.pipeline.variables.length === 0) text += rawText(value);
    } else if (node.kind === 'range') text += renderRange(node, place);
    else {
      const inner = { ...place, variables: new Map(place.variables) };
      const value = evaluate(node.pipeline, inner);
      const isTaken = isTrue(value);
      const dot = node.kind === 'with' && isTaken ? value : place.dot;
      text += renderNodes(isTaken ? node.then : node.otherwise, { ...inner, dot });
    }
    if (text.length > longest) throw new TemplateError('The text exceeds 10 MiB.');
  }
  return text;
}

type RangeNode = Extract<Nodes[number], { readonly kind: 'range' }>;

function renderRange({ pipeline, then, otherwise }: RangeNode, place: Place): string {
  const value = evaluate({ ...pipeline, variables: [] }, place);
  const entries = entriesOf(value);
  if (entries.length === 0) return renderNodes(otherwise, place);
  let text = '';
  for (const [key, item] of entries) {
    const variables = new Map(place.variables);
    const [first, second] = pipeline.variables;
    if (second !== undefined) {
      variables.set(first ?? '', key);
      variables.set(second, item);
    } else if (first !== undefined) variables.set(first, item);
    text += renderNodes(then, { ...place, variables, dot: item });
  }
  return text;
}

function entriesOf(value: unknown): readonly (readonly [unknown, unknown])[] {
  if (Array.isArray(value)) return value.map((item: unknown, at) => [at, item] as const);
  if (typeof value === 'number')
    return Array.from({ length: Math.min(value, 10_000) }, (_, at) => [at, at] as const);
  if (isRecord(value)) return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  if (value === null || value === undefined || value === '') return [];
  throw new TemplateError('range requires a list or a mapping.');
}

function evaluate(pipeline: Pipeline, place: Place): unknown {
  let piped: readonly unknown[] = [];
  for (const command of pipeline.commands) piped = [run(command, piped, place)];
  const [value] = piped;
  for (const name of pipeline.variables) place.variables.set(name, value);
  return value;
}

function run([head, ...rest]: readonly Operand[], piped: readonly unknown[], place: Place): unknown {
  if (head === undefined) return piped[0];
  if (head.kind !== 'function') {
    if (rest.length > 0 || piped.length > 0) throw new TemplateError('Only a function takes arguments.');
    return valueOf(head, place);
  }
  return call(head.name, [...rest.map((operand) => valueOf(operand, place)), ...piped], place);
}

function call(name: string, values: readonly unknown[], { scope }: Place): unknown {
  if (name === 'readFile') return scope.readFile(rawText(values[0]));
  const apply: TemplateFunction | undefined = Object.hasOwn(templateFunctions, name)
    ? templateFunctions[name]
    : undefined;
  if (apply === undefined) throw new TemplateError(`Unknown function ${name}.`);
  try {
    return apply(values);
  } catch (error) {
    // The runtime rejects some values, such as a string that becomes too long.
    if (error instanceof RangeError) throw new TemplateError(`${name}: ${error.message}.`);
    throw error;
  }
}

function valueOf(operand: Operand, place: Place): unknown {
  switch (operand.kind) {
    case 'value':
      return operand.value;
    case 'function':
      return call(operand.name, [], place);
    case 'root':
      return follow(
        place.scope.values,
        operand.isBare ? spelt(operand.path) : operand.path,
        operand.path.join('.'),
      );
    case 'dot':
      return follow(place.dot, operand.path, `.${operand.path.join('.')}`);
    case 'variable':
      if (!place.variables.has(operand.name)) throw new TemplateError(`undefined variable: ${operand.name}`);
      return follow(place.variables.get(operand.name), operand.path, operand.name);
    case 'pipeline':
      return follow(evaluate(operand.pipeline, place), operand.path, 'the value in parentheses');
  }
}

function follow(start: unknown, path: readonly string[], shown: string): unknown {
  let value = start;
  for (const part of path) {
    if (!isRecord(value) || !Object.hasOwn(value, part))
      throw new TemplateError(`undefined variable: ${shown}`);
    value = value[part];
  }
  return value;
}

const smallNamed = ['loop', 'context', 'error'];

/** Without the leading dot, `loop.index1` and `context.working_dir` mean `Index1` and `WorkingDir`. */
export function spelt(path: readonly string[]): readonly string[] {
  const [head = '', ...rest] = path;
  if (!smallNamed.includes(head)) return path;
  return [head, ...rest.map((part, at) => (at === 0 || rest[at - 1] === 'parent' ? pascal(part) : part))];
}

function pascal(word: string): string {
  return word
    .split('_')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');
}
