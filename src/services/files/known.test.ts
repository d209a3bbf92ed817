import { lstatSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createKnown, isAsKnown, knowledgeOf } from './known.js';

it('forgets the least recently used file of a session', () => {
  const known = createKnown({ sessions: 2, files: 2 });
  const knowledge = { identity: 'x' };
  known.learn('s', 'a', knowledge);
  known.learn('s', 'b', knowledge);
  known.recall('s', 'a');
  known.learn('s', 'c', knowledge);
  expect(['a', 'b', 'c'].map((path) => known.recall('s', path) !== undefined)).toEqual([true, false, true]);
});

it('forgets the session that was idle longest', () => {
  const known = createKnown({ sessions: 2, files: 2 });
  for (const session of ['one', 'two']) known.learn(session, 'a', { identity: 'x' });
  known.recall('one', 'a');
  known.learn('three', 'a', { identity: 'x' });
  expect(['one', 'two', 'three'].map((session) => known.recall(session, 'a') !== undefined)).toEqual([
    true,
    false,
    true,
  ]);
});

it('compares content if it is known, and identity otherwise', () => {
  const stats = lstatSync('.', { bigint: true });
  const small = knowledgeOf(stats, Buffer.from('x'));
  expect(isAsKnown(small, { ...knowledgeOf(stats, Buffer.from('x')), identity: 'other' })).toBe(true);
  expect(isAsKnown(small, knowledgeOf(stats, Buffer.from('y')))).toBe(false);
  const large = knowledgeOf(stats, Buffer.alloc(2 * 1024 * 1024));
  expect(large.hash).toBeUndefined();
  expect(isAsKnown(large, small)).toBe(true);
  expect(isAsKnown(large, { identity: 'other' })).toBe(false);
});
