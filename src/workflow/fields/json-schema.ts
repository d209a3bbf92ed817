import {
  type JsonSchema,
  propertiesOf,
  requiredKeys,
  type SchemaOptions,
} from '../../lib/schema-table/json-schema.js';
import type { Fields } from './field.js';
import { workflowLanguage } from './language.js';
import { commonFields, stepFields, stepKinds, workflowFields } from './tables.js';

const { nameRules, unknownKeys } = workflowLanguage;
const options: SchemaOptions = { nameRules, unknownKeys };

/** JSON Schema for editors. Unknown keys are allowed where the program only warns. */
export function workflowJsonSchema(): JsonSchema {
  const { states: _, ...rest } = workflowFields;
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'Tidegate workflow',
    description: 'Workflow file for `tidegate run`.',
    type: 'object',
    properties: {
      ...propertiesOf(rest, options),
      states: {
        description: workflowFields.states.description,
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
      ...propertiesOf(all, options),
      ...propertiesOf(commonFields, options),
      type: {
        description: `${commonFields.type.description} Plugins add more: \`plugin.type\`.`,
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
        anyOf: [{ required: ['use_template'] }, { required: ['type', ...requiredKeys(stepFields[kind])] }],
      },
    })),
  };
}
