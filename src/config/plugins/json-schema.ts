import type { JsonSchema } from '../../lib/schema-table/json-schema.js';
import { referringSchema } from '../json-schema.js';
import { pluginsTable } from './plugins-schema.js';

/** JSON Schema (2020-12) of `plugins.yaml`, for editors. */
export function pluginsJsonSchema(): JsonSchema {
  return referringSchema('plugins.yaml', pluginsTable);
}
