import { describe, expect, it } from 'vitest';
import type { Principal, Spec, ToolSpec } from '../core/index.js';
import { createFakeProvider } from '../testing/index.js';
import { createAccess, withoutOperations } from './visible.js';

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

  it('returns an immutable answer', () => {
    expect(Object.isFrozen(answer(operator, () => true))).toBe(true);
    expect(Object.isFrozen(answer(operator, () => false))).toBe(true);
  });
});

it('finds tools of workflows only for the call of an operation', () => {
  const access = withoutOperations(createAccess(() => true));
  const plain = spec as ToolSpec;
  const request = { ...plain, reach: 'workflow' } as const;
  const session = { id: 's', principal: operator, scope: 'connection' } as const;
  expect(access.visible(session, request)).toEqual({ visible: false, callable: false });
  const operation = { ...session, isOperation: true } as const;
  expect(access.visible(operation, plain)).toEqual({ visible: true, callable: true });
  expect(access.visible(operation, request)).toEqual({ visible: true, callable: true });
  const nobody = withoutOperations(createAccess(() => false));
  expect(nobody.visible(operation, request)).toEqual({ visible: false, callable: false });
});
