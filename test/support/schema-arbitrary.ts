import fc from 'fast-check';

type Schema = Readonly<Record<string, unknown>>;

/** Values that a JSON Schema of ours accepts: every keyword that our tools use, boundary values included. */
export function valuesOf(schema: Schema): fc.Arbitrary<unknown> {
  const { type, enum: values, const: constant, anyOf } = schema;
  if (Array.isArray(values)) return fc.constantFrom(...(values as readonly unknown[]));
  if (constant !== undefined) return fc.constant(constant);
  if (Array.isArray(anyOf)) return fc.oneof(...anyOf.map((part) => valuesOf(part as Schema)));
  switch (type) {
    case 'object':
      return objectOf(schema);
    case 'array':
      return arrayOf(schema);
    case 'string':
      return textOf(schema);
    case 'integer':
      return fc.integer({ min: least(schema, -1000), max: most(schema, 1000) });
    case 'number':
      return fc.double({ min: least(schema, -1e6), max: most(schema, 1e6), noNaN: true });
    case 'boolean':
      return fc.boolean();
    default:
      throw new Error(`no values for ${JSON.stringify(schema)}`);
  }
}

function objectOf(schema: Schema): fc.Arbitrary<unknown> {
  const properties = Object.entries((schema['properties'] ?? {}) as Readonly<Record<string, Schema>>);
  const required = (schema['required'] ?? []) as readonly string[];
  const model = Object.fromEntries(properties.map(([name, field]) => [name, valuesOf(field)]));
  return fc.record(model, { requiredKeys: [...required] });
}

function arrayOf({ items, minItems, maxItems }: Schema): fc.Arbitrary<unknown> {
  return fc.array(valuesOf((items ?? { type: 'string' }) as Schema), {
    minLength: typeof minItems === 'number' ? minItems : 0,
    maxLength: Math.min(typeof maxItems === 'number' ? maxItems : 4, 4),
  });
}

function textOf({ minLength, maxLength, pattern }: Schema): fc.Arbitrary<string> {
  if (typeof pattern === 'string') return fc.stringMatching(new RegExp(pattern));
  const from = typeof minLength === 'number' ? minLength : 0;
  const to = Math.max(from, Math.min(typeof maxLength === 'number' ? maxLength : 30, 30));
  return fc.string({ unit: 'grapheme', minLength: from, maxLength: to });
}

function least({ minimum, exclusiveMinimum }: Schema, otherwise: number): number {
  if (typeof minimum === 'number') return Math.max(minimum, Number.MIN_SAFE_INTEGER);
  return typeof exclusiveMinimum === 'number' ? exclusiveMinimum + 1 : otherwise;
}

function most({ maximum, exclusiveMaximum }: Schema, otherwise: number): number {
  if (typeof maximum === 'number') return Math.min(maximum, Number.MAX_SAFE_INTEGER);
  return typeof exclusiveMaximum === 'number' ? exclusiveMaximum - 1 : otherwise;
}
