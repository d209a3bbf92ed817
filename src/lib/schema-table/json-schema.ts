import type { NameRule } from './context.js';
import { durationNotations } from './duration.js';
import type { Field, Fields, ListField, MapField, NumberField, RecordField, UnknownKeys } from './field.js';
import { sizePattern } from './size.js';

export type JsonSchema = Readonly<Record<string, unknown>>;

export interface SchemaOptions {
  readonly nameRules: Readonly<Record<string, NameRule>>;
  /** The default for records that don't set it. */
  readonly unknownKeys: UnknownKeys;
  /** The pointer to the schema of a reference, which may resolve to a number, boolean, choice or duration. */
  readonly reference?: string;
  /** Let editors accept an empty list or mapping, which the reader treats as absent. */
  readonly takesNull?: true;
}

/** The JSON Schema of a field, for editors. */
export function schemaOf(field: Field, options: SchemaOptions): JsonSchema {
  const { description } = field;
  const defaults = field.default === undefined ? {} : { default: field.default };
  return { description, ...defaults, ...shapeOf(field, options) };
}

export function propertiesOf(fields: Fields, options: SchemaOptions): JsonSchema {
  return Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, schemaOf(field, options)]));
}

export function requiredKeys(fields: Fields): readonly string[] {
  return Object.entries(fields).flatMap(([key, { required }]) => (required === true ? [key] : []));
}

function shapeOf(field: Field, options: SchemaOptions): JsonSchema {
  switch (field.kind) {
    case 'text':
      return { type: field.takesScalars === true ? ['string', 'number', 'boolean'] : 'string' };
    case 'integer':
    case 'number':
      return orReference([numberShape(field)], options);
    case 'boolean':
      return orReference([{ type: 'boolean' }], options);
    case 'choice':
      return orReference([{ enum: field.choices }], options);
    case 'duration': {
      const { number, pattern } = durationNotations[field.notation ?? 'simple'];
      return orReference(
        [
          { type: number, minimum: field.minimum ?? 0 },
          { type: 'string', pattern },
        ],
        options,
      );
    }
    case 'size':
      return orReference(
        [
          { type: 'integer', minimum: 0 },
          { type: 'string', pattern: sizePattern },
        ],
        options,
      );
    case 'any':
      return {};
    case 'list':
      return listShape(field, options);
    case 'map':
      return mapShape(field, options);
    case 'record':
      return recordShape(field, options);
    case 'either':
      return { anyOf: [schemaOf(field.first, options), schemaOf(field.second, options)] };
  }
}

function numberShape({ kind, minimum, maximum }: NumberField): JsonSchema {
  return {
    type: kind,
    ...(minimum !== undefined && { minimum }),
    ...(maximum !== undefined && { maximum }),
  };
}

function orReference(shapes: readonly JsonSchema[], { reference }: SchemaOptions): JsonSchema {
  const all = reference === undefined ? shapes : [...shapes, { $ref: reference }];
  const [only, ...others] = all;
  return only !== undefined && others.length === 0 ? only : { anyOf: all };
}

function orNull(type: string, { takesNull }: SchemaOptions): string | readonly string[] {
  return takesNull === true ? [type, 'null'] : type;
}

function listShape(field: ListField, options: SchemaOptions): JsonSchema {
  const list = { type: orNull('array', options), items: schemaOf(field.of, options) };
  return field.takesOne === true ? { anyOf: [schemaOf(field.of, options), list] } : list;
}

function mapShape({ names, of }: MapField, options: SchemaOptions): JsonSchema {
  const rule = names === undefined ? undefined : options.nameRules[names];
  return {
    type: orNull('object', options),
    ...(rule !== undefined && { propertyNames: { pattern: rule.pattern } }),
    additionalProperties: schemaOf(of, options),
  };
}

function recordShape(field: RecordField, options: SchemaOptions): JsonSchema {
  const { fields, exactlyOne, unknownKeys = options.unknownKeys } = field;
  const required = requiredKeys(fields);
  const beside = Object.entries(fields).flatMap(([key, child]) =>
    child.beside === undefined ? [] : [[key, [child.beside]]],
  );
  return {
    type: orNull('object', options),
    properties: propertiesOf(fields, options),
    ...(required.length > 0 && { required }),
    ...(beside.length > 0 && { dependentRequired: Object.fromEntries(beside) }),
    ...(exactlyOne !== undefined && { oneOf: exactlyOne.map((key) => ({ required: [key] })) }),
    ...(unknownKeys === 'refuse' && { additionalProperties: false }),
  };
}
