import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, sep } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ClientFile } from '../../clients/index.js';
import { type GateForm, gateStart } from './gateway-start.js';
import { ImportRefused } from './refused.js';

const cached = join(sep, 'home', '.npm', '_npx', '0a1b', 'node_modules', 'tidegate', 'dist', 'tidegate.js');
const installed = join(sep, 'usr', 'lib', 'node_modules', 'tidegate', 'dist', 'tidegate.js');
const target = {
  file: '/w/tidegate.yaml',
  link: '/w/tidegate.yaml',
  folder: '/w',
  content: undefined,
  isOperators: true,
};

function started(program: string, scope: ClientFile['scope'], form?: GateForm) {
  const options = { cwd: sep, env: {}, version: '1.2.3', target, form };
  return gateStart({ path: '/w/file', scope }, options, program);
}

it.each(['user', 'project'] as const)('a gateway started by npx is not written to a %s file', (scope) => {
  expect(() => started(cached, scope)).toThrow(ImportRefused);
  expect(() => started(cached, scope)).toThrow(expect.objectContaining({ code: 'import.passing_gate' }));
});

it('a gateway started by npx is downloaded again if requested', () => {
  expect([started(cached, 'user', 'npx')].map(({ command, args }) => [command, ...args].join(' '))).toEqual([
    expect.stringContaining('npx -y tidegate@1.2.3 mcp'),
  ]);
});

it('an installed gateway is started by its absolute path', () => {
  expect(started(installed, 'user').args).toEqual([installed, 'mcp']);
});

describe('in a project file', () => {
  let folder: string;
  let program: string;
  beforeAll(() => {
    folder = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-path-')));
    program = put('lib/node_modules/tidegate/dist/tidegate.js', '');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function put(path: string, content: string | { readonly target: string }): string {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    if (typeof content !== 'string') symlinkSync(content.target, file);
    else {
      writeFileSync(file, content);
      chmodSync(file, 0o755);
    }
    return file;
  }

  function words(path: string): string {
    const options = { cwd: folder, env: { PATH: dirname(path) }, version: '1.2.3', target };
    const { command, args } = gateStart({ path: '/w/.mcp.json', scope: 'project' }, options, program);
    return [command, ...args].slice(0, 3).join(' ');
  }

  it('the gateway is started by name if that name on PATH is this program, as a link or a script', () => {
    expect(words(put('linked/tidegate', { target: program }))).toMatch(/^tidegate mcp/);
    const script = '#!/bin/sh\nexec node "$here/../lib/node_modules/tidegate/dist/tidegate.js" "$@"\n';
    expect(words(put('scripted/tidegate', script))).toMatch(/^tidegate mcp/);
  });

  it.each([
    ['another program has that name', 'other/tidegate', '#!/bin/sh\nexit 0\n'],
    ['there is none', 'none/else', ''],
  ])('[15.37] this program is started by its path if %s, never by npx', (_, path, text) => {
    expect(words(put(path, text))).toBe(`${process.execPath} ${program} mcp`);
  });

  it('[15.37] uses the path if only a package runner put it on PATH', () => {
    const path = put('project/node_modules/.bin/tidegate', { target: program });
    expect(words(path)).toBe(`${process.execPath} ${program} mcp`);
  });

  it('[15.37] npx, if requested, downloads this version', () => {
    const { command, args } = started(installed, 'project', 'npx');
    expect([command, ...args].join(' ')).toContain('npx -y tidegate@1.2.3 mcp');
  });
});
