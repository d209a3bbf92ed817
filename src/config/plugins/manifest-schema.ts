import { defineRecord, type ValueOf } from '../field.js';

const words = { kind: 'text', format: 'any', takesScalars: true, description: 'For people.' } as const;

const setting = defineRecord({
  kind: 'record',
  description: 'One setting that the plugin takes.',
  isOpen: true,
  fields: {
    type: {
      kind: 'choice',
      description: 'What its value is.',
      choices: ['string', 'integer', 'boolean'],
      default: 'string',
    },
    required: { kind: 'boolean', description: 'Whether the plugin needs it.', default: false },
    default: { ...words, description: 'The value where nobody gives one.' },
    description: words,
    enum: {
      kind: 'list',
      description: 'The values that it may have; for `string` only.',
      of: { ...words, description: 'One of them.' },
    },
  },
});

const patterns = {
  kind: 'list',
  description: 'Types of events, such as `workflow.*`; `*` stands for one word, alone for all.',
  default: [],
  of: { ...words, description: 'A type, or a pattern.' },
} as const;

/** The one description of `plugin.yaml`. Keys that it does not know are let pass: other hosts have their own. */
export const manifestTable = defineRecord({
  kind: 'record',
  description: 'What a plugin says of itself.',
  isOpen: true,
  fields: {
    name: { ...words, description: 'Its name: letters, digits, `_` and `-`.', required: true },
    version: { ...words, description: 'Its version, as `1.2.3`.', required: true },
    awf_version: { ...words, description: 'Which versions of AWF it works with, as `>=0.4.0`.' },
    tidegate_version: { ...words, description: 'Which versions of Tidegate it works with.' },
    description: words,
    author: words,
    license: words,
    homepage: words,
    capabilities: {
      kind: 'list',
      description: 'What it can do: `operations`, `step_types`, `validators`, `events`.',
      default: [],
      of: { ...words, description: 'One of them.' },
    },
    config: {
      kind: 'map',
      names: 'variable',
      description: 'What it can be told at its start.',
      default: {},
      of: setting,
    },
    events: {
      kind: 'record',
      description: 'Which events it hears and tells.',
      default: {},
      isOpen: true,
      fields: { subscribe: patterns, emit: patterns },
    },
  },
});

export type ManifestValues = ValueOf<typeof manifestTable>;
