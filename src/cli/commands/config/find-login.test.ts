import { expect, it } from 'vitest';
import { LoginFailure } from '../../../app/server-login.js';
import type { Context } from '../../command.js';
import { Failure } from '../../failure.js';
import { loginFailure } from './find-login.js';

const context = { signal: new AbortController().signal } as unknown as Context;

it.each([
  ['none', 'login.none', 2],
  ['unfit', 'login.unfit', 4],
  ['unreachable', 'login.unreachable', 4],
  ['denied', 'login.denied', 7],
  ['late', 'login.late', 4],
  ['callback', 'login.callback', 4],
] as const)('a login that fails with %s exits with %s and a suggestion', async (reason, code, exit) => {
  const failure = await loginFailure(new LoginFailure(reason, 'It failed.'), 'far', context);
  expect(failure).toBeInstanceOf(Failure);
  expect(failure).toMatchObject({ code, exit, message: 'It failed.', next: expect.stringMatching(/\S/) });
});

it('never suggests a command that cannot help', async () => {
  const dead = new LoginFailure('unreachable', 'http://127.0.0.1:1 could not be reached: ECONNREFUSED');
  const failure = await loginFailure(dead, 'far', context);
  expect(failure).toMatchObject({ next: expect.stringContaining('tidegate servers') });
  expect(failure).not.toMatchObject({ next: expect.stringContaining('tidegate login') });
  const open = new LoginFailure('none', 'It needs no login.', 'tidegate servers');
  expect(await loginFailure(open, 'far', context)).toMatchObject({
    code: 'login.none',
    next: 'tidegate servers',
  });
});
