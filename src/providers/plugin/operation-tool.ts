import { isRecord } from '../../lib/is-record.js';
import { JsonText } from '../../lib/json-text.js';
import { skeletonOf } from '../../lib/deceptive-names.js';
import type { Source, ToolSpec } from '../../core/index.js';
import { visibleText } from '../../lib/visible-text.js';
import type { InputSchema, OperationSchema } from '../../plugin-protocol/index.js';

/** Reports what was left out of a definition, and why. */
export type Warn = (message: string, fields: Readonly<Record<string, unknown>>) => void;

const toolName = /^[A-Za-z0-9_.-]{1,128}$/;

/** The tool name in the gateway. It is never parsed: calls are routed by plugin and operation. */
function toolNameOf(plugin: string, operation: string): string {
  return `${plugin}_${operation}`;
}

/** The operations of a plugin as tools, sorted by name. Invalid ones are left out with a warning. */
export function toolsOf(
  plugin: string,
  operations: readonly OperationSchema[],
  warn: Warn,
): readonly ToolSpec[] {
  const tools = new Map<string, ToolSpec>();
  for (const operation of operations) {
    const tool = toolOf(plugin, operation, warn);
    const known = typeof tool === 'string' ? undefined : tools.get(skeletonOf(tool.name));
    if (typeof tool === 'string')
      warn('an operation was left out', { operation: visibleText(operation.name), reason: tool });
    else if (known !== undefined) {
      const isSame = known.name === tool.name;
      const reason = isSame ? 'it is listed twice' : `its name looks like "${known.localName}"`;
      warn('an operation was left out', { operation: operation.name, reason });
    } else tools.set(skeletonOf(tool.name), tool);
  }
  return [...tools.values()].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function toolOf(plugin: string, operation: OperationSchema, warn: Warn): ToolSpec | string {
  const name = toolNameOf(plugin, operation.name);
  if (operation.name === '' || !toolName.test(name)) return 'its name is not a valid tool name';
  const fields = [...operation.inputs, ...operation.outputs].map((field) => field.name);
  if (fields.some((field) => visibleText(field) !== field))
    return 'its field names contain invisible characters';
  const inputSchema = inputSchemaOf(operation, warn);
  if (typeof inputSchema === 'string') return inputSchema;
  const source: Source = `plugin:${plugin}`;
  const outputSchema = outputSchemaOf(operation);
  const description = descriptionOf(plugin, operation);
  return {
    kind: 'tool',
    name,
    localName: operation.name,
    source,
    // The plugin does not declare effects, so assume the worst.
    effect: 'execute',
    hints: {},
    definition: JsonText.from({ name, description, inputSchema, ...(outputSchema && { outputSchema }) }),
  };
}

function descriptionOf(plugin: string, { name, description, outputs }: OperationSchema): string {
  const said = clean(description).trim();
  const first = said === '' ? `Operation '${name}' from plugin '${plugin}'.` : said;
  const fields = outputs.map((output) => clean(output.name)).filter((field) => field !== '');
  return fields.length === 0 ? first : `${first} Returns a JSON object with fields: ${fields.join(', ')}.`;
}

interface Warned {
  readonly warn: Warn;
  readonly operation: string;
}

function inputSchemaOf({ name, inputs }: OperationSchema, warn: Warn): object | string {
  const named = inputs.filter((input) => input.name !== '');
  // An empty list can mean "no inputs" or "inputs not declared".
  if (named.length === 0) return { type: 'object', additionalProperties: true };
  const names = named.map((input) => input.name);
  if (new Set(names).size < names.length) return 'two of its inputs have the same name';
  const properties = Object.fromEntries(
    named.map((input) => [input.name, propertyOf(input, { warn, operation: name })]),
  );
  const required = named.filter((input) => input.required).map((input) => input.name);
  return { type: 'object', properties, required: required.sort(), additionalProperties: true };
}

const types: Readonly<Record<string, object>> = {
  string: { type: 'string' },
  integer: { type: 'integer' },
  boolean: { type: 'boolean' },
  number: { type: 'number' },
  float: { type: 'number' },
  double: { type: 'number' },
  array: { type: 'array' },
  object: { type: 'object', additionalProperties: true },
};

const formats: Readonly<Record<string, object>> = { url: { format: 'uri' }, email: { format: 'email' } };

function propertyOf(input: InputSchema, { warn, operation }: Warned): object {
  const type = Object.hasOwn(types, input.type) ? types[input.type] : undefined;
  const where = { operation, input: input.name };
  if (type === undefined) warn('an input has an unknown type', { ...where, type: input.type });
  const value = defaultOf(input);
  if (value === undefined && input.default !== '')
    warn('the default of an input does not match its type', { ...where, default: input.default });
  const { validation } = input;
  const more = Object.hasOwn(formats, validation)
    ? formats[validation]
    : { 'x-validation': clean(validation) };
  return {
    ...type,
    ...(input.description !== '' && { description: clean(input.description) }),
    ...(value !== undefined && { default: value }),
    ...(validation !== '' && more),
  };
}

/** Defaults are text for all types; an empty text means no default. */
function defaultOf({ type, default: text }: InputSchema): unknown {
  if (text === '') return undefined;
  switch (type) {
    case 'integer':
      return /^-?\d+$/.test(text) && Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
    case 'number':
    case 'float':
    case 'double':
      return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : undefined;
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : undefined;
    case 'array':
      return parsed(text, Array.isArray);
    case 'object':
      return parsed(text, isRecord);
    default:
      return clean(text);
  }
}

function parsed(text: string, fits: (value: unknown) => boolean): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return fits(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The fields that a result may have. None of them is required. */
function outputSchemaOf({ outputs }: OperationSchema): object | undefined {
  const named = outputs.filter((output) => output.name !== '');
  if (named.length === 0) return undefined;
  const properties = named.map((output) => [
    output.name,
    {
      ...(Object.hasOwn(types, output.type) && types[output.type]),
      ...(output.description !== '' && { description: clean(output.description) }),
    },
  ]);
  return { type: 'object', properties: Object.fromEntries(properties) as object, additionalProperties: true };
}

/** Makes invisible characters visible in text for the model. */
function clean(text: string): string {
  return visibleText(text);
}
