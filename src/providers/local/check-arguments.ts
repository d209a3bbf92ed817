import { type OutputUnit, type SchemaDraft, Validator } from '@cfworker/json-schema';
import {
  boundPatterns,
  findPatterns,
  keysIn,
  patternOfFormat,
  renewBudget,
  UncheckedPattern,
} from './bounded-patterns.js';

type Schema = Readonly<Record<string, unknown>>;

/** Validates arguments. Returns a description of each problem. */
export function createArgumentCheck(schema: Schema): (value: unknown) => readonly string[] {
  let validatorFor: ((value: unknown) => Validator) | undefined;
  return (value) => {
    // Created on the first call, because most tools are never called.
    validatorFor ??= createValidators(schema);
    try {
      renewBudget();
      const { valid, errors } = validatorFor(value).validate(value);
      if (valid) return [];
      const leaves = errors.filter(({ keyword }) => keyword !== 'properties' && keyword !== 'items');
      return (leaves.length > 0 ? leaves : errors).slice(0, 8).map(inWords);
    } catch (error) {
      if (error instanceof UncheckedPattern) return [`arguments cannot be validated: ${error.message}`];
      throw error;
    }
  };
}

/** One validator for all values, unless the schema has `patternProperties`, which need one per set of keys. */
function createValidators(schema: Schema): (value: unknown) => Validator {
  const patterns = findPatterns(schema);
  const open = (keys: readonly string[]): Validator => {
    const bound = patterns.values || patterns.keys ? (boundPatterns(schema, keys) as Schema) : schema;
    return new Validator(bound, dialectOf(schema), false);
  };
  if (patterns.keys) return (value) => open(keysIn(value));
  const validator = open([]);
  return () => validator;
}

/** Few schemas name their dialect, but some keywords have a different meaning in older ones. */
function dialectOf(schema: Readonly<Record<string, unknown>>): SchemaDraft {
  const { $schema } = schema;
  const named = typeof $schema === 'string' ? $schema : '';
  if (named.includes('2019-09')) return '2019-09';
  if (named.includes('2020-12')) return '2020-12';
  const text = JSON.stringify(schema);
  if (named.includes('draft-04') || /"exclusiveM(?:in|ax)imum":(?:true|false)/.test(text)) return '4';
  return named.includes('draft-') || text.includes('"items":[') ? '7' : '2020-12';
}

/** Describes the error for a model, by argument names instead of validator terms. */
function inWords({ instanceLocation, keyword, error }: OutputUnit): string {
  const place = instanceLocation.replace(/^#\/?/, '');
  const missing = keyword === 'required' ? /property "(.+?)"/.exec(error)?.[1] : undefined;
  if (missing !== undefined) return `${place === '' ? '' : `${place}/`}${missing} is missing`;
  const pattern =
    keyword === 'format' ? patternOfFormat(/format "([^]*)"\.$/.exec(error)?.[1] ?? '') : undefined;
  if (pattern !== undefined) return `${place === '' ? 'arguments' : place} must match ${pattern}`;
  const wanted = keyword === 'type' ? /Expected "(.+?)"/.exec(error)?.[1] : undefined;
  const words = error.replace(/^Instance /, 'it ').replace(/\.$/, '');
  return `${place === '' ? 'arguments' : place} ${wanted === undefined ? `is invalid: ${words}` : `must be of type ${wanted}`}`;
}
