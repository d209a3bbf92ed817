import { expect, it } from 'vitest';
import { couldReach } from './reach.js';

const principal = { kind: 'agent', id: 'a' } as never;
const held = (...tools: readonly string[]): boolean =>
  couldReach(
    {
      chain: [
        { principal, rights: 'all' },
        { principal, rights: 'inherited', tools },
      ],
    },
    'plugin:vault',
  );

it.each([
  [true, ['vault_open']],
  [true, ['Read', 'vault_*']],
  [true, ['v*']],
  [true, ['*']],
  [true, ['!vault_open']],
  [false, []],
  [false, ['Read', 'tool_search']],
  [false, ['vault']],
  [false, ['vaults_*']],
] as const)('%s: a server is in reach of a session limited to %j', (isInReach, tools) => {
  expect(held(...tools)).toBe(isInReach);
});

it('a session without name limits may reach every source', () => {
  expect(couldReach({ chain: [{ principal, rights: 'all' }] }, 'server:vault')).toBe(true);
});
