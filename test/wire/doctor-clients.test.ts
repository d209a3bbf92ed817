import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  clientNames,
  type ClientName,
  type ClientPlaceOf,
  clientPlaceOfTest,
} from '../support/client-place.js';
import { program } from '../support/gate.js';

interface Row {
  readonly state: string;
  readonly about?: string;
  readonly detail: string;
  readonly next?: string;
  readonly facts?: { readonly client: ClientName; readonly file: string };
}

async function rowsOf(place: ClientPlaceOf): Promise<readonly Row[]> {
  const { status, stdout, stderr } = await place.run(['doctor', '--only', 'clients', '--json'], {
    limitMs: 20_000,
  });
  expect([status, stderr]).toEqual([
    expect.toSatisfy((code) => code === 0 || code === 4),
    expect.not.stringContaining('    at '),
  ]);
  const { checks } = JSON.parse(stdout) as { readonly checks: readonly { readonly findings: Row[] }[] };
  return checks[0]?.findings ?? [];
}

async function pointed(clients?: readonly ClientName[]): Promise<ClientPlaceOf> {
  const place = clientPlaceOfTest(clients);
  const { status, stderr } = await place.import('--point', '--yes', '--secrets', 'keep', '--force');
  expect(status, stderr).toBe(0);
  return place;
}

/** Runs the suggested command of a row exactly as shown, and confirms. */
async function typed(place: ClientPlaceOf, { next = '' }: Row): Promise<void> {
  const [name, ...words] = next.replace('read it, then: ', '').split(' ');
  expect(name).toBe('tidegate');
  const consent = words.includes('--point') ? ['--yes', '--force'] : words[0] === 'trust' ? ['--yes'] : [];
  const { status, stderr } = await place.run([...words, ...consent]);
  expect(status, stderr).toBe(0);
}

const moved = join(dirname(program), 'gone', 'tidegate.js');

describe('doctor and Tidegate entries in client files', () => {
  it('reports a missing program in all eight clients, with the command that fixes it', async () => {
    const place = await pointed();
    const before = await rowsOf(place);
    // The control: nothing is reported before the change.
    expect(before.map(({ state }) => state).filter((state) => state === 'fail' || state === 'warn')).toEqual(
      [],
    );
    expect(new Set(before.map(({ facts }) => facts?.client))).toEqual(new Set(clientNames));
    for (const client of clientNames) {
      const text = readFileSync(place.fileOf(client), 'utf8');
      expect(text, client).toContain(program);
      writeFileSync(place.fileOf(client), text.replaceAll(program, moved));
    }
    const after = await rowsOf(place);
    expect(after.map(({ facts, state, next }) => [facts?.client, state, next])).toEqual(
      before.map(({ facts }) => [facts?.client, 'fail', `tidegate import ${facts?.client ?? ''} --point`]),
    );
    expect(after.find(({ facts }) => facts?.client === 'codex')?.detail).toContain(moved);
    for (const row of after) await typed(place, row);
    expect(await rowsOf(place)).toEqual(before);
  });

  it('reports an untrusted and a missing configuration', async () => {
    const place = clientPlaceOfTest([]);
    for (const client of ['cursor', 'mcp-json'] as const) {
      mkdirSync(dirname(place.fileOf(client)), { recursive: true });
      writeFileSync(place.fileOf(client), '{"mcpServers":{"one":{"command":"one"}}}');
    }
    await place.import('--point', '--yes');
    const yaml = join(place.workspace, 'tidegate.yaml');
    writeFileSync(yaml, `${readFileSync(yaml, 'utf8')}# more\n`);
    const rows = await rowsOf(place);
    expect(rows.map(({ state, next }) => [state, next])).toEqual([
      ['warn', `read it, then: tidegate trust ${yaml}`],
      ['warn', `read it, then: tidegate trust ${yaml}`],
    ]);
    for (const row of rows.slice(0, 1)) await typed(place, row);
    expect((await rowsOf(place)).map(({ state }) => state).sort()).toEqual(['ok', 'ok']);
    rmSync(yaml);
    const [gone] = (await rowsOf(place)).filter(({ state }) => state === 'fail');
    expect(gone).toMatchObject({ next: 'tidegate import cursor --undo', facts: { client: 'cursor' } });
    if (gone !== undefined) await typed(place, gone);
    expect((await rowsOf(place)).filter(({ state }) => state === 'fail')).toEqual([]);
  });

  it('reports a backup whose file is missing, and restores it', async () => {
    const place = clientPlaceOfTest(['gemini']);
    const before = readFileSync(place.fileOf('gemini'), 'utf8');
    await place.import('--point', '--yes', '--secrets', 'keep', '--force');
    rmSync(place.fileOf('gemini'));
    const [lost, ...others] = await rowsOf(place);
    expect([lost, others]).toMatchObject([
      { state: 'warn', about: place.fileOf('gemini'), next: 'tidegate import gemini --undo --force' },
      [],
    ]);
    const refused = await place.import('gemini', '--undo');
    expect(refused.stderr).toContain('tidegate import gemini --undo --force');
    if (lost !== undefined) await typed(place, lost);
    expect(readFileSync(place.fileOf('gemini'), 'utf8')).toBe(before);
  });

  it('accepts an entry without a configuration file', async () => {
    const place = clientPlaceOfTest([]);
    const { status, stderr } = await place.import('claude', '--point', '--yes');
    expect(status, stderr).toBe(0);
    // No file was written, so the entry names none: Tidegate does not start with a missing file.
    expect(readFileSync(place.fileOf('claude'), 'utf8')).not.toContain('--config');
    expect(await rowsOf(place)).toMatchObject([{ state: 'ok', facts: { client: 'claude' } }]);
  });

  it('names problems that only the user can fix', async () => {
    const place = clientPlaceOfTest([]);
    const as = { command: '/gone/node', args: ['/gone/tidegate.js', 'mcp', '--as', 'agent:alice'] };
    const servers = { one: as, two: { command: 'tidegate', args: ['mcp'] } };
    mkdirSync(dirname(place.fileOf('cursor')), { recursive: true });
    writeFileSync(place.fileOf('cursor'), JSON.stringify({ mcpServers: servers }));
    const rows = await rowsOf(place);
    expect(rows.map(({ state, next }) => [state, next])).toEqual([
      ['fail', `fix /gone/node in ${place.fileOf('cursor')} by hand`],
      // The registry may not have the package, but this program works.
      ['fail', `npm install --global ${dirname(dirname(program))}`],
    ]);
    // An entry with limited rights is not replaced by one with more rights.
    await place.import('cursor', '--point', '--yes');
    expect(readFileSync(place.fileOf('cursor'), 'utf8')).toContain('agent:alice');
  });
});

type Spoil = (file: string) => void;
const hostile: readonly (readonly [what: string, spoil: Spoil])[] = [
  ['a pipe', (file) => void execFileSync('mkfifo', [file])],
  ['a link to itself', (file) => symlinkSync(file, file)],
  ['a link to a device', (file) => symlinkSync('/dev/zero', file)],
  [
    'a file of gigabytes',
    (file) => {
      writeFileSync(file, '');
      truncateSync(file, 5 * 1024 ** 3);
    },
  ],
  [
    'a file of the maximum size',
    (file) => writeFileSync(file, `{"mcpServers":{"a":"${'x'.repeat(30_000_000)}`),
  ],
  ['endless nesting', (file) => writeFileSync(file, '['.repeat(1_000_000))],
  [
    'a huge number of entries',
    (file) => {
      const gate = { command: '/gone/node', args: ['/gone/tidegate.js', 'mcp', '--config', '/dev/zero'] };
      const all = Array.from({ length: 20_000 }, (_, at) => [String(at), gate] as const);
      writeFileSync(file, JSON.stringify({ mcpServers: Object.fromEntries(all) }));
    },
  ],
  [
    'an entry whose configuration is a pipe',
    (file) => {
      execFileSync('mkfifo', [`${file}.yaml`]);
      const gate = { command: process.execPath, args: [program, 'mcp', '--config', `${file}.yaml`] };
      writeFileSync(file, JSON.stringify({ mcpServers: { gate } }));
    },
  ],
];

describe('doctor with hostile client files', () => {
  it.each(hostile)('%s: is reported, and delays nothing', async (_what, spoil) => {
    const place = clientPlaceOfTest([]);
    for (const client of ['cursor', 'mcp-json'] as const) {
      mkdirSync(dirname(place.fileOf(client)), { recursive: true });
      spoil(place.fileOf(client));
    }
    const rows = await rowsOf(place);
    expect(rows.filter(({ state }) => state === 'fail' || state === 'warn').length).toBeGreaterThanOrEqual(1);
    expect(rows.length).toBeLessThan(60);
  });
});
