import { type JsonSchema, type SchemaOptions, schemaOf } from '../lib/schema-table/json-schema.js';
import type { RecordField } from './field.js';
import { configLanguage } from './language.js';
import { profilesTable } from './profiles-schema.js';
import { configTable } from './schema.js';

const { nameRules, unknownKeys } = configLanguage;
const options: SchemaOptions = { nameRules, unknownKeys, takesNull: true };

/** JSON Schema (2020-12) of `tidegate.yaml`, for editors, generated from the table. */
export function configJsonSchema(): JsonSchema {
  return referringSchema('tidegate.yaml', configTable);
}

/** The schema of a file whose values may come from the environment. */
export function referringSchema(title: string, table: RecordField): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title,
    ...schemaOf(table, { ...options, reference: '#/$defs/reference' }),
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
    ...schemaOf(profilesTable, options),
  };
}
