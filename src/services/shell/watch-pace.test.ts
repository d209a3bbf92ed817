import { expect, it } from 'vitest';
import { createPace } from './watch-pace.js';

it('lets checks take at most a fifth of the time', () => {
  let now = 0;
  const pace = createPace(() => now);
  const look = (ms: number) => pace(() => (now += ms));
  expect(look(100)).toBe(100);
  now = 499;
  expect(look(1)).toBeUndefined();
  now = 500;
  expect(look(0)).toBe(500);
  expect(look(0)).toBe(500);
});
