import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { isKnown } from './own-entries.js';

// Permanent entries are covered by test/wire/state-entries.test.ts; these exist only briefly or after a crash.
it.each([
  'state.db-journal',
  `.tidegate.yaml.${randomUUID()}.tidegate`,
  `trust.json.${randomUUID()}.draft`,
  'trust.json.lock',
  'import.lock',
  'import.lock.0123456789abcdef',
  `trust.json.lock.${randomUUID()}`,
  'pipes-aB3dE9',
])('%s is known', (name) => expect(isKnown(name)).toBe(true));

it.each(['holiday.jpg', '.bashrc.tidegate', 'state.db-backup', 'trust.json.bak', 'pipes-and-drums'])(
  '%s is not created by Tidegate',
  (name) => expect(isKnown(name)).toBe(false),
);
