import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { adminCodes } from '../../src/access/admin/admin-error.js';
import { reasonWords } from '../../src/access/admin/describe-reason.js';
import { statusOfAdmin } from '../../src/workspace/admin-refusal.js';
import { exitOfAdmin } from '../../src/cli/exit-codes.js';

// The expected side is written out. A pin is changed on purpose and in its own commit, never to go green.

const pinned = [
  'access.admin_required 403 2',
  'access.bad_document 400 2',
  'access.bad_principal 400 2',
  'access.bad_request 400 2',
  'access.bad_target 400 2',
  'access.bad_time 400 2',
  'access.conflict 409 4',
  'access.not_in_model 400 2',
  'access.prune_too_much 409 2',
  'access.role_cycle 409 2',
  'access.store_in_memory 409 2',
  'access.unknown_profile 404 3',
  'access.unknown_token 404 3',
  'access.unknown_tool 404 3',
  'access.wrong_zone 409 2',
];

const reasons = [
  'admin',
  'blocked',
  'condition_failed',
  'condition_input_missing',
  'credential_void',
  'cycle',
  'engine_error',
  'grant_expired',
  'granted',
  'inherited',
  'no_call_grant',
  'no_grant',
  'open',
  'parent_lacks',
  'profile_ceiling',
  'profile_unknown',
  'store_unavailable',
  'too_deep',
  'tools_ceiling',
  'unknown_tool',
  'wrong_zone',
];

describe('refusals of the admin service', () => {
  it('are exactly these, each with its HTTP status and its exit status', () => {
    const all = Object.keys(adminCodes) as (keyof typeof adminCodes)[];
    expect(
      all.map((code) => `${code} ${String(statusOfAdmin[code])} ${String(exitOfAdmin[code])}`).sort(),
    ).toEqual(pinned);
  });

  it('are all described in the reference', () => {
    const page = readFileSync(new URL('../../docs/reference/errors.md', import.meta.url), 'utf8');
    for (const [code, { meaning }] of Object.entries(adminCodes))
      expect(page).toContain(`| \`${code}\` | ${meaning}`);
  });
});

describe('the reasons for a decision', () => {
  it('are exactly these', () => {
    expect(Object.keys(reasonWords).sort()).toEqual(reasons);
  });
});
