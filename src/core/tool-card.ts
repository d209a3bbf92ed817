import { propertiesOf } from '../lib/decode-arguments.js';
import { type PortName, portTiers, type Tier } from './port-tiers.js';
import type { JsonObject, Schema } from './schema.js';
import type { Effect, GraphShape, Hints, Reach } from './tool.js';
import type { ToolDefinition } from './tool-definition.js';

/** A tool as plain data, without its code. Lets the gateway list and check tools without loading them. */
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

/** The tool definition is invalid. */
export class CardRefused extends Error {
  override readonly name = 'CardRefused';
}

/** Creates the card of a tool, or throws a `CardRefused` that says what to change. */
export function cardOf(tool: ToolDefinition): ToolCard {
  const { name, title, description, effect, needs = [], optional = [], aliases = {}, graph, reach } = tool;
  refuse(!/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(name), `${name}: names consist of letters, digits, _ and -`);
  refuse(title.trim() === '', `${name}: title is missing`);
  refuse(description.trim() === '', `${name}: description is missing`);
  for (const need of [...needs, ...optional]) {
    const ports = Object.keys(portTiers).join(', ');
    refuse(!Object.hasOwn(portTiers, need), `${name}: unknown port ${need}. Available: ${ports}`);
  }
  const inputSchema = inputSchemaOf(tool.input, name);
  const known = Object.keys(propertiesOf(inputSchema));
  for (const argument of Object.keys(aliases)) {
    refuse(!known.includes(argument), `${name}: aliases are given for unknown argument ${argument}`);
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
  refuse(root['type'] !== 'object', `${name}: the input schema must be an object`);
  for (const word of ['oneOf', 'anyOf', 'allOf', 'if'])
    refuse(word in root, `${name}: the input schema must be a plain object without ${word}`);
  check(root, name, 'input');
  const plain = withoutSafeBounds(root);
  return { ...plain, properties: propertiesOf(plain), additionalProperties: false };
}

/** Drops the safe-integer bounds, which tell a model nothing and cost tokens. */
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

/** Always allows the error envelope, because strict clients validate failed results too. */
function outputSchemaOf(schema: Schema, name: string): JsonObject {
  const { $schema: _dialect, ...root } = schema['~standard'].jsonSchema.output({ target: 'draft-2020-12' });
  refuse(root['type'] !== 'object', `${name}: the output schema must be an object`);
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
  description: 'Set only if the call failed.',
  properties: {
    code: { type: 'string', description: 'Error code.' },
    message: { type: 'string', description: 'What went wrong.' },
    reason: { type: 'string', description: 'Tool-specific reason.' },
    details: { type: 'object', description: 'Additional data.' },
    suggestion: { type: 'string', description: 'What to do next.' },
    retryable: { type: 'boolean', description: 'Whether the same call may succeed later.' },
  },
  required: ['code', 'message', 'retryable'],
};

/** Every field needs a description, because a model knows nothing else about it. */
function check(schema: unknown, name: string, at: string): void {
  if (Array.isArray(schema)) schema.forEach((part, index) => check(part, name, `${at}/${String(index)}`));
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return;
  const { properties } = schema as JsonObject;
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
