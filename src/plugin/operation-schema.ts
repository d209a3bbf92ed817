import type { OperationSchema } from '../plugin-protocol/index.js';
import type { AnyOperation } from './define-plugin.js';

type Json = Readonly<Record<string, unknown>>;

const target = { target: 'draft-2020-12' } as const;

/** The schema as the protocol carries it: one level of names, types and defaults. The plugin validates the rest. */
export function operationSchemaOf(
  name: string,
  { description, input, output }: AnyOperation,
): OperationSchema {
  const taken = input['~standard'].jsonSchema.input(target);
  const required = new Set(Array.isArray(taken['required']) ? taken['required'] : []);
  const inputs = Object.entries(propertiesOf(taken)).map(([key, property]) => ({
    name: key,
    type: typeOf(property),
    required: required.has(key),
    default: defaultText(property['default']),
    description: textOf(property['description']),
    validation: validationOf(property),
  }));
  const given = output?.['~standard'].jsonSchema.output(target) ?? {};
  const outputs = Object.entries(propertiesOf(given)).map(([key, property]) => ({
    name: key,
    type: typeOf(property),
    description: textOf(property['description']),
  }));
  return { name, description, inputs, outputs };
}

function propertiesOf({ properties }: Json): Readonly<Record<string, Json>> {
  // The values of `properties` are schemas.
  return typeof properties === 'object' && properties !== null
    ? (properties as Readonly<Record<string, Json>>)
    : {};
}

const known = ['string', 'integer', 'boolean', 'number', 'array', 'object'];

/** For a union, the first type that the protocol knows. */
function typeOf(schema: Json): string {
  const { type, anyOf, oneOf, enum: choices } = schema;
  const types = Array.isArray(type) ? (type as readonly unknown[]) : [type];
  const found = types.find((one): one is string => typeof one === 'string' && known.includes(one));
  if (found !== undefined) return found;
  for (const branch of [anyOf, oneOf].flatMap((one) =>
    Array.isArray(one) ? (one as readonly Json[]) : [],
  )) {
    const inner = typeOf(branch);
    if (inner !== '') return inner;
  }
  return Array.isArray(choices) && choices.every((choice) => typeof choice === 'string') ? 'string' : '';
}

function defaultText(value: unknown): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function validationOf({ format }: Json): string {
  return format === 'uri' ? 'url' : format === 'email' ? 'email' : '';
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
