import { expect, it } from 'vitest';
import { shellEnd } from './exit-code.js';

it('reports exit codes like a shell, with and without a sandbox', () => {
  expect(shellEnd({ code: 0, signal: null })).toEqual({ exitCode: 0 });
  expect(shellEnd({ code: 3, signal: null })).toEqual({ exitCode: 3 });
  expect(shellEnd({ code: null, signal: 'SIGKILL' })).toEqual({ exitCode: 137, signal: 'SIGKILL' });
  expect(shellEnd({ code: 137, signal: null })).toEqual({ exitCode: 137, signal: 'SIGKILL' });
  expect(shellEnd({ code: 255, signal: null })).toEqual({ exitCode: 255 });
  expect(shellEnd({ code: 128, signal: null })).toEqual({ exitCode: 128 });
});
