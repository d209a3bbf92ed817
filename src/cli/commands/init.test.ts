import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDesk } from '../typed.fixture.js';

let desk: ReturnType<typeof openDesk>;
beforeEach(() => {
  desk = openDesk();
});
afterEach(() => desk.close());

it('writes nothing when the answer is no', async () => {
  const { code, err } = await desk.type(['init'], '.', 'n');
  expect(code).toBe(6);
  expect(err).toContain('error import.refused: Nothing was written.');
  expect((await desk.type(['config', 'path'])).err).toContain('config.not_found');
});
