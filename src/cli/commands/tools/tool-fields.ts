import { asRecord } from '../../../lib/is-record.js';
import { printable } from '../../../config/index.js';
import type { Tool } from './with-tools.js';

type JsonRecord = Readonly<Record<string, unknown>>;

/** An argument of a tool or a field of its result, read from the simple parts of its schema. */
export interface Field {
  readonly name: string;
  /** The type, for people to read. */
  readonly type: string;
  /** Whether it only accepts text. */
  readonly isText: boolean;
  readonly isRequired: boolean;
  readonly about: string;
  /** Aliases of the name. */
  readonly spellings: readonly string[];
}

export function argumentsOf(tool: Tool): readonly Field[] {
  return fieldsOf(inputSchemaOf(tool), tool.aliases);
}

export function inputSchemaOf(tool: Tool): JsonRecord {
  return asRecord(asRecord(tool.definition.value)['inputSchema']);
}

/** The fields of a successful result. Leaves out `error`, which is the same for all built-in tools. */
export function resultFieldsOf(tool: Tool): readonly Field[] {
  const schema = asRecord(asRecord(tool.definition.value)['outputSchema']);
  const [good] = asList(schema['anyOf']);
  const isOurs = tool.tier !== undefined;
  const required =
    isOurs && schema['required'] === undefined ? asRecord(good)['required'] : schema['required'];
  const fields = fieldsOf({ ...schema, required });
  return isOurs ? fields.filter(({ name }) => name !== 'error') : fields;
}

function fieldsOf(schema: JsonRecord, aliases: Tool['aliases'] = {}): readonly Field[] {
  const required = asList(schema['required']);
  return Object.entries(asRecord(schema['properties'])).map(([name, value]) => {
    const field = asRecord(value);
    const { type, description } = field;
    return {
      name,
      type: typeText(field),
      isText: type === 'string',
      isRequired: required.includes(name),
      about: typeof description === 'string' ? printable(description) : '',
      spellings: Object.hasOwn(aliases, name) ? (aliases[name] ?? []) : [],
    };
  });
}

const deepest = 3;

function typeText(schema: JsonRecord, depth = 0): string {
  const { type, enum: values, const: constant, items, properties } = schema;
  if (Array.isArray(values)) return values.map(valueText).join(' | ');
  if (constant !== undefined) return valueText(constant);
  const choices = [...asList(schema['anyOf']), ...asList(schema['oneOf'])];
  if (type === undefined && choices.length > 0 && depth < deepest)
    return [...new Set(choices.map((choice) => typeText(asRecord(choice), depth + 1)))].join(' or ');
  if (type === 'array' && depth < deepest) return `array of ${typeText(asRecord(items), depth + 1)}`;
  const names = Object.keys(asRecord(properties));
  if (type === 'object' && names.length > 0) return `{ ${names.map(printable).join(', ')} }`;
  return typeof type === 'string' ? printable(type) : asList(type).map(valueText).join(' or ') || 'any';
}

function valueText(value: unknown): string {
  return printable(typeof value === 'string' ? value : JSON.stringify(value));
}

function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
