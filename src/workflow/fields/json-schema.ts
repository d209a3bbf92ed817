import type { Field, Fields } from './field.js';
import { commonFields, stepFields, stepKinds, workflowFields } from './tables.js';

type JsonSchema = Readonly<Record<string, unknown>>;

/** JSON Schema for editors. Unknown keys are allowed where the program only warns. */
export function workflowJsonSchema(): JsonSchema {
  const { states: _, ...rest } = workflowFields;
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Tidegate workflow',
    description: 'Workflow file for `tidegate run`.',
    type: 'object',
    properties: {
      ...propertiesOf(rest),
      states: {
        description: workflowFields.states.about,
        type: 'object',
        properties: { initial: { type: 'string', description: 'Name of the first state.' } },
        required: ['initial'],
        additionalProperties: { $ref: '#/definitions/step' },
      },
    },
    required: ['name', 'states'],
    definitions: { step: stepSchema() },
  };
}

function stepSchema(): JsonSchema {
  const all = Object.assign({}, ...Object.values<Fields>(stepFields)) as Fields;
  return {
    type: 'object',
    properties: {
      ...propertiesOf(all),
      ...propertiesOf(commonFields),
      type: {
        description: `${commonFields.type.about} Plugins add more: \`plugin.type\`.`,
        anyOf: [{ enum: Object.keys(stepKinds) }, { type: 'string', pattern: '^[^.]+\\..+$' }],
      },
      agent: { type: 'object', description: 'The keys of an agent step, nested.' },
      // `inputs` of operations and calls are mappings.
      inputs: { type: 'object' },
    },
    allOf: Object.entries(stepKinds).map(([type, kind]) => ({
      if: { properties: { type: { const: type } }, required: ['type'], not: { required: ['agent'] } },
      // A template may provide the required keys.
      then: {
        anyOf: [{ required: ['use_template'] }, { required: ['type', ...neededOf(stepFields[kind])] }],
      },
    })),
  };
}

function neededOf(fields: Fields): readonly string[] {
  return Object.entries(fields).flatMap(([key, { needed }]) => (needed === true ? [key] : []));
}

function propertiesOf(fields: Fields): JsonSchema {
  return Object.fromEntries(Object.entries(fields).map(([key, field]) => [key, schemaOf(field)]));
}

function schemaOf(field: Field): JsonSchema {
  return { description: field.about, ...shapeOf(field) };
}

function shapeOf(field: Field): JsonSchema {
  switch (field.kind) {
    case 'text':
      return field.values === undefined ? { type: ['string', 'number', 'boolean'] } : { enum: field.values };
    case 'flag':
      return { type: 'boolean' };
    case 'integer':
    case 'number':
      return {
        type: field.kind,
        ...(field.least !== undefined && { minimum: field.least }),
        ...(field.most !== undefined && { maximum: field.most }),
      };
    case 'duration':
      return {
        anyOf: [
          { type: 'integer', minimum: 0 },
          { type: 'string', pattern: '^([0-9.]+(ns|us|ms|s|m|h))+$' },
        ],
      };
    case 'size':
      return {
        anyOf: [
          { type: 'integer', minimum: 0 },
          { type: 'string', pattern: '^[0-9.]+ ?[kKmMgG]?[bB]?$' },
        ],
      };
    case 'any':
      return {};
    case 'list':
      return { type: 'array', items: schemaOf(field.of) };
    case 'map':
      return {
        type: 'object',
        properties: propertiesOf(field.of),
        ...(neededOf(field.of).length > 0 && { required: neededOf(field.of) }),
        ...(field.isStrict === true && { additionalProperties: false }),
      };
    case 'record':
      return { type: 'object', additionalProperties: schemaOf(field.of) };
    case 'either':
      return { anyOf: [schemaOf(field.first), schemaOf(field.second)] };
  }
}
