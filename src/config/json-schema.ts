import { durationPattern } from './duration.js';
import type { Field, ListField, MapField, RecordField } from './field.js';
import { nameRules } from './formats.js';
import { profilesTable } from './profiles-schema.js';
import { configTable } from './schema.js';

export type JsonSchema = Readonly<Record<string, unknown>>;

/** JSON Schema (2020-12) of `tidegate.yaml`, for editors, generated from the table. */
export function configJsonSchema(): JsonSchema {
  return referringSchema('tidegate.yaml', configTable);
}

/** The schema of a file whose values may come from the environment. */
export function referringSchema(title: string, table: RecordField): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title,
    ...schemaOf(table),
    $defs: {
      reference: {
        description: 'Reference to an environment variable: `${NAME}` or `${NAME:-default}`.',
        type: 'string',
        pattern: '^\\$\\{[A-Za-z_][A-Za-z0-9_]*(:-[^}]*)?\\}$',
      },
    },
  };
}

/** JSON Schema (2020-12) of `profiles.yaml`, for editors. */
export function profilesJsonSchema(): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'profiles.yaml',
    ...schemaOf(profilesTable),
  };
}

function schemaOf(field: Field): JsonSchema {
  const { description } = field;
  const defaults = field.default === undefined ? {} : { default: field.default };
  return { description, ...defaults, ...shapeOf(field) };
}

function shapeOf(field: Field): JsonSchema {
  switch (field.kind) {
    case 'text':
      return { type: field.takesScalars === true ? ['string', 'number', 'boolean'] : 'string' };
    case 'integer':
      return orReference({ type: 'integer', minimum: field.minimum, maximum: field.maximum });
    case 'boolean':
      return orReference({ type: 'boolean' });
    case 'choice':
      return orReference({ enum: field.choices });
    case 'duration':
      return orReference(
        { type: 'number', minimum: field.minimum },
        { type: 'string', pattern: durationPattern },
      );
    case 'list':
      return listShape(field);
    case 'map':
      return mapShape(field);
    case 'record':
      return recordShape(field);
  }
}

function listShape(field: ListField): JsonSchema {
  const list = { type: orNothing('array'), items: schemaOf(field.of) };
  return field.takesOne === true ? { anyOf: [schemaOf(field.of), list] } : list;
}

// An empty `servers:` counts as absent.
function orNothing(type: string): readonly string[] {
  return [type, 'null'];
}

function orReference(...shapes: readonly JsonSchema[]): JsonSchema {
  return { anyOf: [...shapes, { $ref: '#/$defs/reference' }] };
}

function mapShape(field: MapField): JsonSchema {
  const { pattern } = nameRules[field.names];
  return { type: orNothing('object'), propertyNames: { pattern }, additionalProperties: schemaOf(field.of) };
}

function recordShape(field: RecordField): JsonSchema {
  const entries = Object.entries(field.fields);
  const required = entries.filter(([, child]) => child.required === true).map(([key]) => key);
  const beside = entries.flatMap(([key, child]) =>
    child.beside === undefined ? [] : [[key, [child.beside]]],
  );
  return {
    type: orNothing('object'),
    properties: Object.fromEntries(entries.map(([key, child]) => [key, schemaOf(child)])),
    ...(required.length > 0 ? { required } : {}),
    ...(beside.length > 0 ? { dependentRequired: Object.fromEntries(beside) } : {}),
    ...(field.exactlyOne === undefined
      ? {}
      : { oneOf: field.exactlyOne.map((key) => ({ required: [key] })) }),
    ...(field.isOpen === true ? {} : { additionalProperties: false }),
  };
}
