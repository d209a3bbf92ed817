import { describe, expect, it } from 'vitest';
import type { Principal, Spec } from '../kernel/index.js';
import { createFakeProvider } from '../testing/index.js';
import { createAccess } from './visible.js';

const operator: Principal = { kind: 'user', id: 'ada', zone: 'local' };
const [spec] = createFakeProvider('one', { a: () => Promise.reject(new Error('not called')) }).list().tools;

function answer(principal: Principal, isOperator: (asked: Principal) => boolean): unknown {
  const session = { id: 's', principal, scope: 'connection' } as const;
  return createAccess(isOperator).visible(session, spec as Spec);
}

describe('access', () => {
  it('gives the operator everything', () => {
    expect(answer(operator, ({ id }) => id === 'ada')).toEqual({ visible: true, callable: true });
  });

  it.each<Principal>([
    { kind: 'user', id: 'eve', zone: 'local' },
    { kind: 'agent', id: '', zone: '' },
    { kind: 'service', id: 'Ada', zone: 'local' },
  ])('gives nothing to anyone else: %j', (principal) => {
    expect(answer(principal, ({ id }) => id === 'ada')).toEqual({ visible: false, callable: false });
  });

  it('gives an answer that nobody can change', () => {
    expect(Object.isFrozen(answer(operator, () => true))).toBe(true);
    expect(Object.isFrozen(answer(operator, () => false))).toBe(true);
  });
});
