import { defineRecord, type ValueOf } from './field.js';

const entry = {
  kind: 'text',
  format: 'any',
  takesScalars: true,
  description:
    'The name of a tool (`Read`), a pattern over names (`find_*`), `server:<name>`, `plugin:<name>`, `tier:<n>`, or a tool of one of them (`server:github/create_issue`). `!` before it blocks.',
} as const;

const profile = defineRecord({
  kind: 'record',
  description: 'What whoever has the profile may see and call.',
  hints: { inherits: 'Write `extends` instead.', parent: 'Write `extends` instead.' },
  fields: {
    description: { kind: 'text', format: 'any', description: 'What the profile is for, for people.' },
    extends: {
      kind: 'list',
      description: 'The profile, or profiles, that this one adds to.',
      default: [],
      takesOne: true,
      of: { kind: 'text', format: 'any', description: 'The name of a profile.' },
    },
    tools: {
      kind: 'list',
      description:
        'What may be seen and called. An entry with `!` blocks, and a block beats every grant, also those that come from elsewhere.',
      default: [],
      of: entry,
    },
    see_only: {
      kind: 'list',
      description: 'What may be seen but not called.',
      default: [],
      of: entry,
    },
  },
});

const principal = defineRecord({
  kind: 'record',
  description: 'What is special about one principal.',
  fields: {
    profile: {
      kind: 'text',
      format: 'any',
      description: 'Its profile, as long as none was assigned to it with `tidegate profile assign`.',
    },
    add: { kind: 'list', description: 'What it may call beside its profile.', default: [], of: entry },
    remove: {
      kind: 'list',
      description: 'What is blocked for it, wherever it would come from.',
      default: [],
      of: entry,
    },
  },
});

/** The one description of `profiles.yaml`. Reading, JSON Schema and reference page derive from it. */
export const profilesTable = defineRecord({
  kind: 'record',
  description: 'Profiles: who may see and call what, by name.',
  default: {},
  fields: {
    $schema: {
      kind: 'text',
      format: 'any',
      description: 'Address of the JSON Schema, for editors. Not used.',
    },
    default_profile: {
      kind: 'text',
      format: 'any',
      description:
        'The profile of a principal that has none; `none` gives nothing. Without it: `minimal`. `access.default_profile` in `tidegate.yaml` wins over it.',
    },
    profiles: {
      kind: 'map',
      names: 'profile',
      description:
        'Profiles by name. They stand beside the shipped ones; one that has the name of a shipped one takes its place.',
      default: {},
      of: profile,
    },
    principals: {
      kind: 'map',
      names: 'principal',
      description: 'Rules for single principals, by `agent:<id>`, `user:<id>` or `service:<id>`.',
      default: {},
      of: principal,
    },
  },
});

export type ProfilesValues = ValueOf<typeof profilesTable>;
