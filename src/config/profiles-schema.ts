import type { ValueOf } from '../lib/schema-table/field.js';
import { defineRecord } from './field.js';

const entry = {
  kind: 'text',
  format: 'any',
  takesScalars: true,
  description:
    'A tool name (`Read`), a pattern (`find_*`), `server:<name>`, `plugin:<name>`, `tier:<n>`, or a tool of a server or plugin (`server:github/create_issue`). Put `!` in front to block it.',
} as const;

const profile = defineRecord({
  kind: 'record',
  description: 'What principals with this profile can see and call.',
  hints: { inherits: 'Use `extends` instead.', parent: 'Use `extends` instead.' },
  fields: {
    description: { kind: 'text', format: 'any', description: 'What the profile is for, for human readers.' },
    extends: {
      kind: 'list',
      description: 'The profile or profiles that this one extends.',
      default: [],
      takesOne: true,
      of: { kind: 'text', format: 'any', description: 'The name of a profile.' },
    },
    tools: {
      kind: 'list',
      description:
        'Tools that can be seen and called. An entry that starts with `!` blocks tools. A block overrides every grant, no matter where the grant comes from.',
      default: [],
      of: entry,
    },
    see_only: {
      kind: 'list',
      description: 'Tools that can be seen but not called.',
      default: [],
      of: entry,
    },
  },
});

const principal = defineRecord({
  kind: 'record',
  description: 'Rules for one principal.',
  fields: {
    profile: {
      kind: 'text',
      format: 'any',
      description: 'Profile of the principal, unless `tidegate profile assign` has assigned one.',
    },
    add: {
      kind: 'list',
      description: 'Tools that it can call in addition to its profile.',
      default: [],
      of: entry,
    },
    remove: {
      kind: 'list',
      description: 'Tools that are blocked for it, no matter where a grant comes from.',
      default: [],
      of: entry,
    },
  },
});

/** Defines every key of `profiles.yaml`. The reader, the JSON Schema and the reference page derive from it. */
export const profilesTable = defineRecord({
  kind: 'record',
  description: 'Profiles: named sets of tools that principals can see and call.',
  default: {},
  fields: {
    $schema: {
      kind: 'text',
      format: 'any',
      description: 'URL of the JSON Schema, for editors. Tidegate ignores it.',
    },
    default_profile: {
      kind: 'text',
      format: 'any',
      description:
        'Profile for principals that have no profile assigned. `none` gives no access. Defaults to `minimal`. `access.default_profile` in `tidegate.yaml` overrides it.',
    },
    profiles: {
      kind: 'map',
      names: 'profile',
      description:
        'Profiles by name, in addition to the built-in ones. A profile with the name of a built-in profile replaces it.',
      default: {},
      of: profile,
    },
    principals: {
      kind: 'map',
      names: 'principal',
      description: 'Rules for individual principals, by `agent:<id>`, `user:<id>` or `service:<id>`.',
      default: {},
      of: principal,
    },
  },
});

export type ProfilesValues = ValueOf<typeof profilesTable>;
