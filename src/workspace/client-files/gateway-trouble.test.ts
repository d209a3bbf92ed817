import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { clients, type JsonObject, serversIn } from '../../clients/index.js';
import { gateConfig, type GateInFile, gateTrouble, isRenewable } from './gateway-trouble.js';

const { execPath: node } = process;
let folder: string;
let script: string;
let config: string;
beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-gone-')));
  script = join(folder, 'tidegate.js');
  config = join(folder, 'tidegate.yaml');
  mkdirSync(join(folder, 'bin'));
  for (const file of [script, config, join(folder, 'bin', 'tidegate')]) writeFileSync(file, '');
  chmodSync(join(folder, 'bin', 'tidegate'), 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const env = (): Readonly<Record<string, string>> => ({ PATH: join(folder, 'bin') });

/** The same gateway entry in the file of each client. */
function inFiles(start: { command: string; args: readonly string[]; env?: Record<string, string> }) {
  const place = { platform: process.platform, home: '/nobody', folders: [folder], env: {} };
  return clients.map((client): GateInFile => {
    const file = client.files(place).at(-1) ?? { path: '', scope: 'user' };
    const [section] = client.sections({}, file, place);
    const entry = client.tidegateEntry({ env: {}, ...start });
    const text = client.format.write(section?.path ?? [], 'gate', entry);
    const root = client.format.name === 'TOML' ? text : nested(section?.path ?? [], { gate: entry });
    const [found] = serversIn(client, root, file, place);
    if (found === undefined) throw new Error(client.name);
    return { file, found };
  });
}

function nested(path: readonly string[], value: JsonObject): string {
  return JSON.stringify(path.reduceRight<JsonObject>((inner, key) => ({ [key]: inner }), value));
}

/** The distinct problems over all clients. */
function troubles(command: string, ...args: readonly string[]): readonly unknown[] {
  const all = inFiles({ command, args }).map((gate) => gateTrouble(gate, env()));
  return all.filter((one, at) => all.findIndex((other) => isDeepStrictEqual(one, other)) === at);
}

it('an entry whose program, script and file exist has no problem, for every client', () => {
  expect(troubles(node, script, 'mcp', '--config', config)).toEqual([undefined]);
  expect(troubles('tidegate', 'mcp')).toEqual([undefined]);
});

it('what is missing is named, for every client', () => {
  const gone = join(folder, 'gone');
  const old = join(gone, 'node');
  expect(troubles(old, script, 'mcp')).toEqual([{ what: 'program', path: old }]);
  expect(troubles(node, join(gone, 'tidegate.js'), 'mcp')).toEqual([
    { what: 'script', path: join(gone, 'tidegate.js') },
  ]);
  expect(troubles(node, script, 'mcp', '--config', gone)).toEqual([{ what: 'config', path: gone }]);
  expect(troubles(node, script, 'mcp', `--config=${gone}`)).toEqual([{ what: 'config', path: gone }]);
  expect(troubles('npx', '-y', 'tidegate', 'mcp')).toEqual([{ what: 'absent', path: 'npx' }]);
  expect(troubles(join(gone, 'tidegate'), 'mcp')).toEqual([
    { what: 'program', path: join(gone, 'tidegate') },
  ]);
});

it('folders that npx added to PATH do not count', () => {
  const bin = join(folder, '_npx', '0a1b', 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'tidegate'), '');
  chmodSync(join(bin, 'tidegate'), 0o755);
  const [gate] = inFiles({ command: 'tidegate', args: ['mcp'] });
  if (gate === undefined) throw new Error('no client');
  expect(gateTrouble(gate, { PATH: bin })).toEqual({ what: 'absent', path: 'tidegate' });
  // The control: installed, it is.
  expect(gateTrouble(gate, { PATH: `${bin}${delimiter}${join(folder, 'bin')}` })).toBeUndefined();
});

it('paths that only the client can resolve are not checked', () => {
  expect(troubles('${env:HOME}/bin/node', '$HOME/tidegate.js', 'mcp', '--config', '~/x.yaml')).toEqual([
    undefined,
  ]);
});

it('entries that start through another program are not checked', () => {
  expect(troubles('docker', 'run', '-i', 'img', 'node', '/app/tidegate.js', 'mcp')).toEqual([undefined]);
  expect(troubles('env', 'X=y', join(folder, 'gone', 'tidegate'), 'mcp')).toEqual([undefined]);
  expect(troubles('npx', '--package', './evil', 'tidegate', 'mcp')).toEqual([undefined]);
});

it('the configuration is the named one, or the nearest one of its folder', () => {
  const [, project] = inFiles({ command: 'tidegate', args: ['mcp'] });
  if (project === undefined) throw new Error('no file of a project');
  expect(gateConfig(project, env())).toBe(config);
});

it('only entries as written by Tidegate are rewritten', () => {
  const start = { command: join(folder, 'gone', 'node'), args: [script, 'mcp', '--config', config] };
  const isNew = (more: Parameters<typeof inFiles>[0]): readonly boolean[] => [
    ...new Set(inFiles(more).map((gate) => isRenewable(gate, env()))),
  ];
  expect(isNew({ ...start, env: { TIDEGATE_HOME: '/x' } })).toEqual([true]);
  // A repair must not give an entry with restricted access more than before.
  expect(isNew({ ...start, args: [...start.args, '--as', 'agent:alice'] })).toEqual([false]);
  expect(isNew({ ...start, env: { OTHER: '1' } })).toEqual([false]);
  expect(isNew({ ...start, command: node })).toEqual([false]);
  // The wrapper may restrict the gateway and uses other paths.
  const behind = { docker: ['run', '--network=none', 'img', 'node'], bwrap: ['--unshare-net'], ssh: ['box'] };
  for (const [command, words] of Object.entries(behind))
    expect(isNew({ command, args: [...words, join(folder, 'gone', 'tidegate'), 'mcp'] })).toEqual([false]);
});
