import { asRecord } from '../lib/is-record.js';
import { textOf } from './parts.js';
import type { ModelRequest, ScriptedTurn } from './turn.js';

/** Maximum depth of generated JSON; deeper than any schema that agents send. */
const deepest = 8;

/** The answer to a request without tools to call; undefined for a request of the conversation itself. */
export function asideFor({
  advertised,
  body,
}: Pick<ModelRequest, 'advertised'> & { readonly body?: unknown }): ScriptedTurn | undefined {
  if (!advertised.every(({ kind }) => kind === 'built-in')) return undefined;
  const schema = schemaIn(body);
  // Clients that expect JSON would retry for minutes.
  return { say: schema === undefined ? 'ok' : JSON.stringify(valueFor(schema, deepest)) };
}

function schemaIn(body: unknown): unknown {
  const { generationConfig } = asRecord(body);
  const { responseJsonSchema, responseSchema } = asRecord(generationConfig);
  return responseJsonSchema ?? responseSchema;
}

/** The simplest value that matches the types of a schema. */
function valueFor(schema: unknown, depth: number): unknown {
  const { type, properties, enum: values } = asRecord(schema);
  if (Array.isArray(values) && values.length > 0) return values[0] as unknown;
  switch (textOf(type).toLowerCase()) {
    case 'object': {
      const entries = depth === 0 ? [] : Object.entries(asRecord(properties));
      return Object.fromEntries(entries.map(([name, one]) => [name, valueFor(one, depth - 1)]));
    }
    case 'array':
      return [];
    case 'integer':
    case 'number':
      return 1;
    case 'boolean':
      return false;
    default:
      return 'ok';
  }
}
