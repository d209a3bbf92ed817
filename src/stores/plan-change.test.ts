import { describe, expect, it } from 'vitest';
import type { GrantTuple, GrantWrite } from '../access/ports/index.js';
import { changesOf, isMatch, planChange } from './plan-change.js';
import { keyOf } from './words.js';

const a: GrantTuple = { user: 'u:a', relation: 'caller', object: 'tool:1' };
const b: GrantTuple = { user: 'u:b', relation: 'caller', object: 'tool:1' };
const record = { at: 1, zone: 'z', action: 'grant.write', decision: 'allow', principal: 'user:ana' } as const;

function plan(present: readonly GrantTuple[], change: Partial<GrantWrite>) {
  return planChange(
    { zone: 'z', record, ...change },
    {
      find: (key) => present.find((tuple) => keyOf(tuple) === keyOf(key)),
      matching: (filter) => present.filter((tuple) => isMatch(tuple, filter)),
    },
  );
}

describe('planChange', () => {
  it('drops changes that are already in place', () => {
    expect(plan([a], { add: [a], remove: [b] })).toEqual({ added: [], removed: [] });
    expect(plan([a], { removeMatching: [{}], add: [a] })).toEqual({ added: [], removed: [] });
    expect(plan([], { add: [a], remove: [a] })).toEqual({ added: [a], removed: [] });
  });

  it('uses the last change of a tuple', () => {
    const first = { ...a, condition: { name: 'first' } };
    const last = { ...a, condition: { name: 'last' } };
    expect(plan([], { add: [first, last] })).toEqual({ added: [last], removed: [] });
    expect(plan([last], { add: [first, last] })).toEqual({ added: [], removed: [] });
  });

  it('replaces a condition and reports the change to followers', () => {
    const until = { ...a, condition: { name: 'not_expired', context: { until: 'x' } } };
    const made = plan([a, b], { add: [until] });
    expect(made).toEqual({ added: [until], removed: [a] });
    expect(changesOf(made)).toEqual([
      { kind: 'remove', tuple: a },
      { kind: 'add', tuple: until },
    ]);
  });

  it('ignores the metadata of a stored tuple', () => {
    const stored = { ...a, createdBy: 'user:ana', createdAt: 1, revision: 3 };
    expect(plan([stored], { remove: [a] })).toEqual({ added: [], removed: [a] });
  });

  it('ignores the field order of a condition and drops what JSON cannot hold', () => {
    const one = { ...a, condition: { name: 'c', context: { x: 1, y: { p: 1, q: [2] }, gone: undefined } } };
    const other = { ...a, condition: { name: 'c', context: { y: { q: [2], p: 1 }, x: 1 } } };
    expect(plan([one], { add: [other] })).toEqual({ added: [], removed: [] });
    expect(() => plan([], { add: [{ ...a, condition: { name: 'c', context: { n: 1n } } }] })).toThrow(
      TypeError,
    );
  });
});
