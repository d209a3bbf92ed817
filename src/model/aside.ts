import { recordOf, textOf } from './parts.js';
import type { ModelRequest, ScriptedTurn } from './turn.js';

/** Deeper than any question that an agent asks on the way. */
const deepest = 8;

/** The answer to a request that shows no tools to call; undefined for one of the conversation itself. */
export function asideFor({
  advertised,
  body,
}: Pick<ModelRequest, 'advertised'> & { readonly body?: unknown }): ScriptedTurn | undefined {
  if (!advertised.every(({ kind }) => kind === 'built-in')) return undefined;
  const schema = schemaIn(body);
  // Whoever wants JSON asks again and again, for minutes, until it is some.
  return { say: schema === undefined ? 'ok' : JSON.stringify(valueFor(schema, deepest)) };
}

function schemaIn(body: unknown): unknown {
  const { generationConfig } = recordOf(body);
  const { responseJsonSchema, responseSchema } = recordOf(generationConfig);
  return responseJsonSchema ?? responseSchema;
}

/** The plainest value that a schema allows, as far as it speaks of kinds. */
function valueFor(schema: unknown, depth: number): unknown {
  const { type, properties, enum: values } = recordOf(schema);
  if (Array.isArray(values) && values.length > 0) return values[0] as unknown;
  switch (textOf(type).toLowerCase()) {
    case 'object': {
      const entries = depth === 0 ? [] : Object.entries(recordOf(properties));
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
