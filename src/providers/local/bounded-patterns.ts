import { format } from '@cfworker/json-schema';
import { isRecord } from '../../lib/is-record.js';
import { createStepBudget, matchWithin, type StepBudget } from '../../lib/pattern/match-within.js';

type Schema = Readonly<Record<string, unknown>>;

/** A pattern that is unsupported or exceeds its matching budget. The arguments are refused. */
export class UncheckedPattern extends Error {}

/** Keywords whose members are names, not keywords. */
const named: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);
const data: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples', '$ref', 'required']);
/** The validator's regular expression for this format can take exponential time. */
const slowFormats: Readonly<Record<string, string>> = { url: 'uri' };
const formatPrefix = 'pattern ';

let budget: StepBudget = createStepBudget();

/** All patterns of one check share one budget. */
export function renewBudget(): void {
  budget = createStepBudget();
}

/** Whether a schema has patterns that the validator would match without a limit. */
export function findPatterns(schema: unknown): { readonly values: boolean; readonly keys: boolean } {
  const found = { values: false, keys: false };
  walk(schema, (word, value) => {
    if (word === 'patternProperties') found.keys = true;
    if (word === 'pattern' || (word === 'format' && Object.hasOwn(slowFormats, String(value))))
      found.values = true;
  });
  return found;
}

/**
 * Removes regular expressions from a schema, because matching text from agents in the validator can take exponential time. A
 * `pattern` becomes a custom format; `patternProperties` become properties for the given keys.
 */
export function boundPatterns(schema: unknown, keys: readonly string[]): unknown {
  if (Array.isArray(schema)) return schema.map((part) => boundPatterns(part, keys));
  if (!isRecord(schema)) return schema;
  const { pattern, patternProperties, ...rest } = schema;
  const copy: Record<string, unknown> = Object.fromEntries(
    Object.entries(rest).map(([word, value]) => [word, boundWord(word, value, keys)]),
  );
  if (isRecord(patternProperties)) copy['properties'] = expanded(copy['properties'], patternProperties, keys);
  if (typeof pattern !== 'string') return copy;
  const checked = { format: formatFor(pattern) };
  if (copy['format'] === undefined) return { ...copy, ...checked };
  return { ...copy, allOf: [...(Array.isArray(copy['allOf']) ? (copy['allOf'] as unknown[]) : []), checked] };
}

/** The pattern behind a custom format. */
export function patternOfFormat(name: string): string | undefined {
  return name.startsWith(formatPrefix) ? name.slice(formatPrefix.length) : undefined;
}

/** Every key of every object in a value. */
export function keysIn(value: unknown): readonly string[] {
  const keys = new Set<string>();
  const add = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return;
    if (!Array.isArray(part)) for (const key of Object.keys(part)) keys.add(key);
    for (const inner of Object.values(part)) add(inner);
  };
  add(value);
  return [...keys];
}

function boundWord(word: string, value: unknown, keys: readonly string[]): unknown {
  if (data.has(word)) return value;
  if (word === 'format') return slowFormats[String(value)] ?? value;
  if (!named.has(word) || !isRecord(value)) return boundPatterns(value, keys);
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, boundPatterns(part, keys)]));
}

function expanded(properties: unknown, patterns: Schema, keys: readonly string[]): Schema {
  const all = new Map<string, unknown>(isRecord(properties) ? Object.entries(properties) : []);
  for (const [pattern, part] of Object.entries(patterns)) {
    const bound = boundPatterns(part, keys);
    for (const key of keys) {
      if (!matches(pattern, key)) continue;
      const own = all.get(key);
      all.set(key, own === undefined ? bound : { allOf: [own, bound] });
    }
  }
  return Object.fromEntries(all);
}

/** Registers a format, because the validator looks formats up by name in a global table. */
function formatFor(pattern: string): string {
  const name = formatPrefix + pattern;
  format[name] ??= (text) => matches(pattern, text);
  return name;
}

function matches(pattern: string, text: string): boolean {
  const answer = matchWithin(pattern, text, budget);
  if (answer === 'invalid')
    throw new UncheckedPattern(`the tool's schema has an unsupported pattern: ${pattern}`);
  if (answer === 'too_costly')
    throw new UncheckedPattern(`matching ${pattern} takes too long; use a shorter value`);
  return answer === 'match';
}

function walk(schema: unknown, tell: (word: string, value: unknown) => void): void {
  if (Array.isArray(schema)) for (const part of schema) walk(part, tell);
  if (!isRecord(schema)) return;
  for (const word of Object.keys(schema)) {
    // Do not even read it, because references to other schemas count every read.
    if (data.has(word)) continue;
    const value = schema[word];
    tell(word, value);
    if (named.has(word) && isRecord(value)) for (const part of Object.values(value)) walk(part, tell);
    else walk(value, tell);
  }
}
