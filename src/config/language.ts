import type { Language } from '../lib/schema-table/context.js';
import type { ProblemCode } from './codes.js';
import { formatChecks, nameRules } from './formats.js';

/** How configuration, profiles and plugin files are read: strict, with defaults for whatever is missing. */
export const configLanguage: Language<ProblemCode> = {
  codes: {
    unknownKey: { refuse: 'config.unknown_key', warn: 'config.unknown_key' },
    missing: 'config.missing',
    exclusive: 'config.exclusive',
    wrongType: 'config.wrong_type',
    badValue: 'config.bad_value',
    badName: 'config.bad_name',
    unsupported: 'config.unsupported',
  },
  formats: formatChecks,
  nameRules,
  unknownKeys: 'refuse',
  emptyEntries: 'refuse',
  reading: 'complete',
};
