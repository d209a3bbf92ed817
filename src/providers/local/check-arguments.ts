import { type OutputUnit, type SchemaDraft, Validator } from '@cfworker/json-schema';

/** Gives the problems of an arguments value in words, none when it fits. */
export function createArgumentCheck(
  schema: Readonly<Record<string, unknown>>,
): (value: unknown) => readonly string[] {
  let validator: Validator | undefined;
  return (value) => {
    // Made at the first call: most tools of a long list are never called.
    validator ??= new Validator(schema, dialectOf(schema), false);
    const { valid, errors } = validator.validate(value);
    if (valid) return [];
    const leaves = errors.filter(({ keyword }) => keyword !== 'properties' && keyword !== 'items');
    return (leaves.length > 0 ? leaves : errors).slice(0, 8).map(inWords);
  };
}

/** Few schemas name their dialect; some words mean another thing in an older one, and only there. */
function dialectOf(schema: Readonly<Record<string, unknown>>): SchemaDraft {
  const { $schema } = schema;
  const named = typeof $schema === 'string' ? $schema : '';
  if (named.includes('2019-09')) return '2019-09';
  if (named.includes('2020-12')) return '2020-12';
  const text = JSON.stringify(schema);
  if (named.includes('draft-04') || /"exclusiveM(?:in|ax)imum":(?:true|false)/.test(text)) return '4';
  return named.includes('draft-') || text.includes('"items":[') ? '7' : '2020-12';
}

/** For a model that knows its arguments by their names, and no validator. */
function inWords({ instanceLocation, keyword, error }: OutputUnit): string {
  const place = instanceLocation.replace(/^#\/?/, '');
  const missing = keyword === 'required' ? /property "(.+?)"/.exec(error)?.[1] : undefined;
  if (missing !== undefined) return `${place === '' ? '' : `${place}/`}${missing} is missing`;
  const wanted = keyword === 'type' ? /Expected "(.+?)"/.exec(error)?.[1] : undefined;
  const words = error.replace(/^Instance /, 'it ').replace(/\.$/, '');
  return `${place === '' ? 'arguments' : place} ${wanted === undefined ? `is not right: ${words}` : `must be of type ${wanted}`}`;
}
