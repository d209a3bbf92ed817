import { Validator } from '@cfworker/json-schema';

/** Gives the problems of an arguments value in words, none when it fits. */
export function createArgumentCheck(
  schema: Readonly<Record<string, unknown>>,
): (value: unknown) => readonly string[] {
  let validator: Validator | undefined;
  return (value) => {
    // Made at the first call: most tools of a long list are never called.
    validator ??= new Validator(schema, '2020-12', false);
    const { valid, errors } = validator.validate(value);
    if (valid) return [];
    const leaves = errors.filter(({ keyword }) => keyword !== 'properties' && keyword !== 'items');
    return (leaves.length > 0 ? leaves : errors)
      .slice(0, 8)
      .map(
        ({ instanceLocation, error }) => `${instanceLocation.replace(/^#\/?/, '') || 'arguments'}: ${error}`,
      );
  };
}
