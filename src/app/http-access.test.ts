import { describe, expect, it } from 'vitest';
import type { Caller, Delegation } from '../core/index.js';
import { isAdmin } from './http-access.js';

const principal = { kind: 'user', id: 'ada', zone: 'local' } as const;
const operator: Delegation = { principal, rights: 'all' };

function callerWith(...chain: readonly Delegation[]): Caller {
  return { principal, chain, credential: 'c' };
}

describe('an admin who is known without asking the store', () => {
  it('is the operator', async () => {
    expect(await isAdmin(undefined, callerWith(operator))).toBe(true);
    expect(await isAdmin(undefined, callerWith(operator, operator))).toBe(true);
  });

  it.each<[string, readonly Delegation[]]>([
    ['no link', []],
    ['its own rights', [{ principal, rights: 'own' }]],
    ['a profile', [{ ...operator, profile: 'coding' }]],
    ['a list of tools', [{ ...operator, tools: ['Read'] }]],
    ['a credential that may be revoked', [{ ...operator, tokenId: 't' }]],
    ['a link that is limited', [operator, { principal, rights: 'inherited' }]],
  ])('is not a caller with %s', async (_what, chain) => {
    expect(await isAdmin(undefined, callerWith(...chain))).toBe(false);
  });
});
