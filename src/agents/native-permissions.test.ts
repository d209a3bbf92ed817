import { expect, it } from 'vitest';
import { allowedTools, nativeLevel, nativePermissions } from './native-permissions.js';
import { geminiGrant } from './gemini-permissions.js';
import { opencodeGrant } from './opencode-permissions.js';

it.each([
  [{}, 'edit'],
  [{ dangerously_skip_permissions: false }, 'edit'],
  [{ dangerously_skip_permissions: true }, 'full'],
  // Filled-in templates are strings.
  [{ dangerously_skip_permissions: 'true' }, 'edit'],
  [{ allowed_tools: '' }, 'edit'],
  [{ allowed_tools: ['Write'] }, 'read'],
  [{ allowed_tools: 'Write', native_permissions: 'edit' }, 'edit'],
  [{ native_permissions: 'all' }, undefined],
])('[16.18] %j means the level %s', (options, level) => {
  expect(nativeLevel(options)).toBe(level);
});

it('[16.18] rejects an unknown level', () => {
  expect(() => nativePermissions({ native_permissions: 'all' })).toThrow('Allowed: read, edit, full');
});

it('[16.18] reads allowed_tools as a string or a list', () => {
  const tools = [{ name: 'Write' }, { name: 'Bash', only: 'git commit *' }, { name: 'mcp__x__*' }];
  expect(allowedTools('Write, Bash(git commit *) mcp__x__*')).toEqual(tools);
  expect(allowedTools(['Write', 'Bash(git commit *)', 'mcp__x__*'])).toEqual(tools);
  expect(allowedTools(undefined)).toEqual([]);
});

it.each(['Bash(git', 'Bash)', 'Bash()', 'Bash(a)(b)', 'Write;Bash'])(
  '[16.18] rejects the ambiguous entry %j',
  (text) => {
    expect(() => allowedTools(text)).toThrow('Invalid options.allowed_tools');
  },
);

it('[16.18] knows what another agent cannot express', () => {
  expect(geminiGrant({ name: 'Bash', only: 'git:*' })).toEqual({ name: 'run_shell_command', command: 'git' });
  expect(geminiGrant({ name: 'write_file' })).toEqual({ name: 'write_file' });
  expect(geminiGrant({ name: 'Bash', only: 'git status' })).toBeUndefined();
  expect(geminiGrant({ name: 'Write', only: 'src/**' })).toBeUndefined();
  expect(geminiGrant({ name: 'constructor' })).toBeUndefined();
  expect(opencodeGrant({ name: 'Write' })).toEqual({ name: 'edit' });
  expect(opencodeGrant({ name: 'Nothing' })).toBeUndefined();
});
