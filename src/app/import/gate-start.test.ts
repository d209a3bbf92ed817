import { join, sep } from 'node:path';
import { expect, it } from 'vitest';
import type { ClientFile } from '../../clients/index.js';
import { type GateForm, gateStart } from './gate-start.js';
import { ImportRefused } from './refused.js';

const cached = join(sep, 'home', '.npm', '_npx', '0a1b', 'node_modules', 'tidegate', 'dist', 'tidegate.js');
const installed = join(sep, 'usr', 'lib', 'node_modules', 'tidegate', 'dist', 'tidegate.js');
const target = { file: '/w/tidegate.yaml', folder: '/w', content: undefined, isOperators: true };

function started(program: string, scope: ClientFile['scope'], form?: GateForm) {
  const wish = { cwd: sep, env: {}, version: '1.2.3', target, form };
  return gateStart({ path: '/w/file', scope }, wish, program);
}

it.each(['user', 'project'] as const)('a gate that npx started is not put into a file of a %s', (scope) => {
  expect(() => started(cached, scope)).toThrow(ImportRefused);
  expect(() => started(cached, scope)).toThrow(expect.objectContaining({ code: 'import.passing_gate' }));
});

it('a gate that npx started is fetched again where that was asked for', () => {
  expect([started(cached, 'user', 'npx')].map(({ command, args }) => [command, ...args].join(' '))).toEqual([
    expect.stringContaining('npx -y tidegate@1.2.3 mcp'),
  ]);
});

it('a gate that is installed is started by its whole path', () => {
  expect(started(installed, 'user').args).toEqual([installed, 'mcp']);
});
