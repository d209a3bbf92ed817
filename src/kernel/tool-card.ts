import { type PortName, portTiers, type Tier } from './ports.js';
import type { JsonObject, Schema } from './schema.js';
import type { Effect, GraphShape, Hints, Reach } from './tool.js';
import type { ToolModule } from './tool-module.js';

/** A tool as plain data: everything but its code. The gate lists and checks by it without loading the tool. */
export interface ToolCard {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly effect: Effect;
  readonly hints: Required<Hints>;
  readonly needs: readonly PortName[];
  readonly optional: readonly PortName[];
  readonly tier: Tier;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly aliases: Readonly<Record<string, readonly string[]>>;
  readonly graph?: GraphShape;
  readonly reach?: Reach;
}

/** The definition of a tool is not one that agents could use. */
export class CardRefused extends Error {
  override readonly name = 'CardRefused';
}

/** Makes the card of a tool, or throws a `CardRefused` that says what its author should change. */
export function cardOf(tool: ToolModule): ToolCard {
  const { name, title, description, effect, needs = [], optional = [], aliases = {}, graph, reach } = tool;
  refuse(!/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(name), `${name}: a name has letters, digits, _ and -`);
  refuse(title.trim() === '', `${name}: it has no title`);
  refuse(description.trim() === '', `${name}: it has no description`);
  for (const need of [...needs, ...optional]) {
    const ports = Object.keys(portTiers).join(', ');
    refuse(!Object.hasOwn(portTiers, need), `${name}: there is no port ${need}; there are ${ports}`);
  }
  const inputSchema = inputSchemaOf(tool.input, name);
  const known = Object.keys(propertiesOf(inputSchema));
  for (const argument of Object.keys(aliases)) {
    refuse(!known.includes(argument), `${name}: there is no argument ${argument} to have other spellings`);
  }
  return {
    name,
    title,
    description,
    effect,
    hints: hintsOf(effect, tool.hints),
    needs,
    optional,
    tier: tool.tier ?? tierOf(needs),
    inputSchema,
    ...(tool.output && { outputSchema: outputSchemaOf(tool.output, name) }),
    aliases,
    ...(graph && { graph }),
    ...(reach && { reach }),
  };
}

function refuse(condition: boolean, message: string): void {
  if (condition) throw new CardRefused(message);
}

function tierOf(needs: readonly PortName[]): Tier {
  return needs.reduce<Tier>((highest, need) => (portTiers[need] > highest ? portTiers[need] : highest), 1);
}

function hintsOf(effect: Effect, hints: Hints = {}): Required<Hints> {
  return {
    readOnly: hints.readOnly ?? (effect === 'read' || effect === 'ask'),
    destructive: hints.destructive ?? effect === 'execute',
    idempotent: hints.idempotent ?? effect === 'read',
    openWorld: hints.openWorld ?? (effect === 'execute' || effect === 'ask'),
  };
}

function inputSchemaOf(schema: Schema, name: string): JsonObject {
  const given = schema['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
  const { $schema: _dialect, ...root } = given;
  refuse(root['type'] !== 'object', `${name}: its arguments are not an object`);
  for (const word of ['oneOf', 'anyOf', 'allOf', 'if'])
    refuse(word in root, `${name}: its arguments are not one plain object (${word})`);
  check(root, name, 'input');
  const plain = withoutSafeBounds(root);
  return { ...plain, properties: propertiesOf(plain), additionalProperties: false };
}

/** Bounds that say no more than "a number that JavaScript can count to" tell a model nothing, and cost words. */
function withoutSafeBounds(schema: JsonObject): JsonObject {
  const entries = Object.entries(schema).filter(
    ([word, value]) =>
      !(word === 'minimum' && value === Number.MIN_SAFE_INTEGER) &&
      !(word === 'maximum' && value === Number.MAX_SAFE_INTEGER),
  );
  return Object.fromEntries(entries.map(([word, value]) => [word, plainValue(value)]));
}

function plainValue(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(plainValue);
  return typeof value === 'object' && value !== null ? withoutSafeBounds(value as JsonObject) : value;
}

/** The error envelope is always admissible, because strict clients check failed results too. */
function outputSchemaOf(schema: Schema, name: string): JsonObject {
  const { $schema: _dialect, ...root } = schema['~standard'].jsonSchema.output({ target: 'draft-2020-12' });
  refuse(root['type'] !== 'object', `${name}: its output is not an object`);
  check(root, name, 'output');
  const plain = withoutSafeBounds(root);
  const { required = [], properties: _properties, additionalProperties: _closed, ...rest } = plain;
  const wanted = Array.isArray(required) ? required : [];
  return {
    ...rest,
    properties: { ...propertiesOf(plain), error: errorSchema },
    anyOf: [...(wanted.length > 0 ? [{ required: wanted }] : [{}]), { required: ['error'] }],
  };
}

const errorSchema: JsonObject = {
  type: 'object',
  description: 'Why the call failed. Present only then.',
  properties: {
    code: { type: 'string', description: 'What went wrong, from the table of error codes.' },
    message: { type: 'string', description: 'What went wrong, in words.' },
    reason: { type: 'string', description: 'The case, in words of this tool.' },
    details: { type: 'object', description: 'Facts that help to go on.' },
    suggestion: { type: 'string', description: 'What to do next.' },
    retryable: { type: 'boolean', description: 'Whether the same call may succeed later.' },
  },
  required: ['code', 'message', 'retryable'],
};

export function propertiesOf(schema: JsonObject): Readonly<Record<string, JsonObject>> {
  const { properties } = schema;
  // The values of `properties` are schemas; `true` and `false` are not made by any library we know of.
  return typeof properties === 'object' && properties !== null
    ? (properties as Readonly<Record<string, JsonObject>>)
    : {};
}

/** Every field is described, and nothing is null: what a model reads is all that it knows. */
function check(schema: unknown, name: string, at: string): void {
  if (Array.isArray(schema)) schema.forEach((part, index) => check(part, name, `${at}/${String(index)}`));
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return;
  const { type, properties } = schema as JsonObject;
  const isNull = type === 'null' || (Array.isArray(type) && type.includes('null'));
  refuse(isNull, `${name}: ${at} may be null; leave it out instead`);
  if (typeof properties === 'object' && properties !== null) {
    for (const [key, field] of Object.entries(properties)) {
      const isDescribed = typeof field === 'object' && field !== null && 'description' in field;
      refuse(!isDescribed, `${name}: ${at}.${key} has no description`);
      check(field, name, `${at}.${key}`);
    }
  }
  for (const [word, part] of Object.entries(schema)) {
    if (word !== 'properties' && typeof part === 'object') check(part, name, at);
  }
}
