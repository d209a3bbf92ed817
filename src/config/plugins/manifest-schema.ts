import type { ValueOf } from '../../lib/schema-table/field.js';
import { defineRecord } from '../field.js';

const words = {
  kind: 'text',
  format: 'any',
  takesScalars: true,
  description: 'Text for human readers.',
} as const;

const setting = defineRecord({
  kind: 'record',
  description: 'One setting of the plugin.',
  unknownKeys: 'accept',
  fields: {
    type: {
      kind: 'choice',
      description: 'Type of the value.',
      choices: ['string', 'integer', 'boolean'],
      default: 'string',
    },
    required: { kind: 'boolean', description: 'Whether the setting is required.', default: false },
    default: { ...words, description: 'Value to use if none is given.' },
    description: words,
    enum: {
      kind: 'list',
      description: 'Allowed values. Only for type `string`.',
      of: { ...words, description: 'An allowed value.' },
    },
  },
});

const patterns = {
  kind: 'list',
  description: 'Event types such as `workflow.*`. `*` matches one word; `*` alone matches every event.',
  default: [],
  of: { ...words, description: 'An event type or pattern.' },
} as const;

/** Defines every key of `plugin.yaml`. Unknown keys are allowed, because other hosts have their own. */
export const manifestTable = defineRecord({
  kind: 'record',
  description: 'The manifest of a plugin.',
  unknownKeys: 'accept',
  fields: {
    name: { ...words, description: 'Plugin name: letters, digits, `_` and `-`.', required: true },
    version: { ...words, description: 'Plugin version, such as `1.2.3`.', required: true },
    awf_version: { ...words, description: 'Compatible AWF versions, such as `>=0.4.0`.' },
    tidegate_version: { ...words, description: 'Compatible Tidegate versions.' },
    description: words,
    author: words,
    license: words,
    homepage: words,
    capabilities: {
      kind: 'list',
      description: 'Capabilities: `operations`, `step_types`, `validators`, `events`.',
      default: [],
      of: { ...words, description: 'A capability.' },
    },
    config: {
      kind: 'map',
      names: 'variable',
      description: 'Settings that the plugin accepts.',
      default: {},
      of: setting,
    },
    events: {
      kind: 'record',
      description: 'Events that the plugin subscribes to and emits.',
      default: {},
      unknownKeys: 'accept',
      fields: { subscribe: patterns, emit: patterns },
    },
  },
});

export type ManifestValues = ValueOf<typeof manifestTable>;
