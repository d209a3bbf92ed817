import { expect, it } from 'vitest';
import { messageOf, stackOf } from './error-message.js';

it('messageOf returns the message of an error, and anything else as text', () => {
  expect([messageOf(new TypeError('broken')), messageOf('plain'), messageOf(undefined)]).toEqual([
    'broken',
    'plain',
    'undefined',
  ]);
});

it('stackOf returns the stack, or the message of an error without one', () => {
  const error = new Error('broken');
  expect(stackOf(error)).toContain('error-message.test');
  Reflect.deleteProperty(error, 'stack');
  expect([stackOf(error), stackOf('plain')]).toEqual(['broken', 'plain']);
});
