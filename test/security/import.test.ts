import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { clientNames, type ClientName, fixtureSecrets, clientPlaceOfTest } from '../support/client-place.js';
import { hasTerminals, openTerminal } from '../support/terminal.js';

function expectNoSecrets(...texts: readonly string[]): void {
  for (const text of texts) for (const secret of fixtureSecrets) expect(text).not.toContain(secret);
}

/** What files of clients refer to without giving it. */
const variables = Object.fromEntries(
  [
    'SENTRY_TOKEN',
    'JIRA_TOKEN',
    'CONTEXT7_API_KEY',
    'TRACE_ID',
    'LINEAR_TOKEN',
    'BROWSER_TOKEN',
    'FIGMA_TOKEN',
    'PERPLEXITY_KEY',
  ].map((name) => [name, 'set']),
);

describe('all eight clients at once', () => {
  it('are imported, pointed at the gateway and restored byte for byte, and no secret is shown', async () => {
    const place = clientPlaceOfTest();
    const before = place.files();
    // The control: the secrets are there to be found.
    for (const secret of fixtureSecrets) expect(Object.values(before).join('')).toContain(secret);
    const done = await place.import('--point', '--yes', '--secrets', 'keep', '--force');
    expect(done, done.stderr).toMatchObject({ status: 0 });
    const yaml = readFileSync(join(place.workspace, 'tidegate.yaml'), 'utf8');
    expectNoSecrets(done.stdout, done.stderr, yaml, ...readdirSync(join(place.state, 'backups')));
    for (const client of clientNames) {
      const text = readFileSync(place.fileOf(client), 'utf8');
      expect(text, client).toContain('tidegate');
      expectNoSecrets(text);
    }
    // Kept for the user alone, and used: the file is valid, and trusted.
    const kept = join(place.state, 'secrets.json');
    expect(statSync(kept).mode & 0o777).toBe(0o600);
    for (const secret of fixtureSecrets) expect(readFileSync(kept, 'utf8')).toContain(secret);
    const checked = await place.run(['config', 'check', '--json'], { env: { ...place.env, ...variables } });
    expect(JSON.parse(checked.stdout)).toMatchObject({ valid: true, trusted: true });
    // What cannot be taken over stays where it is.
    expect(readFileSync(place.fileOf('claude'), 'utf8')).toContain('mcp.asana.example');
    expect(readFileSync(place.fileOf('codex'), 'utf8')).toContain('[mcp_servers.off]');
    // Once more changes nothing.
    const again = await place.import('--point', '--yes', '--secrets', 'reference');
    expect(again.stdout).toContain('Nothing to add.');
    const undone = await place.import('--undo', '--json');
    expect(JSON.parse(undone.stdout)).toMatchObject({
      undone: clientNames.map(() => ({ what: 'restored' })),
    });
    const after = place.files();
    expect({ ...after, [join(place.workspace, 'tidegate.yaml')]: undefined }).toEqual({
      ...before,
      [join(place.workspace, 'tidegate.yaml')]: undefined,
    });
    expect((await place.import('--undo')).stderr).toContain('import.nothing_to_undo');
  });

  it('are only shown in a dry run, and not even the state folder is created', async () => {
    const place = clientPlaceOfTest();
    const before = place.files();
    const { stdout, stderr, status } = await place.import('--point', '--dry-run');
    expect(status).toBe(0);
    expect(stdout).toContain('+ "tidegate": {');
    expect(stdout).toContain('- "github": {');
    expectNoSecrets(stdout, stderr);
    expect(place.files()).toEqual(before);
    expect(existsSync(place.state)).toBe(false);
    const json = await place.import('--point', '--dry-run', '--json');
    expectNoSecrets(json.stdout);
    expect(JSON.parse(json.stdout)).toMatchObject({
      written: false,
      points: clientNames.map((client) => ({ client })),
    });
    const init = await place.run(['init', '--dry-run']);
    expect(init.stdout).toContain('tidegate.yaml (new)');
    expect(place.files()).toEqual(before);
    expect(existsSync(place.state)).toBe(false);
  });

  it('require confirmation, and nothing is written without a terminal', async () => {
    const place = clientPlaceOfTest();
    const before = place.files();
    const { status, stderr } = await place.import('--point');
    expect(status).toBe(6);
    expect(stderr).toContain('import.not_asked');
    expect(stderr).toContain('tidegate import --point --yes');
    expect(place.files()).toEqual(before);
  });
});

describe.each(clientNames)('%s', (client) => {
  it('keeps links, permissions and bytes through point and undo', async () => {
    const place = clientPlaceOfTest([client]);
    const file = place.fileOf(client);
    // As people with a folder of dotfiles have it; links of a project stay in it.
    const isOfProject = file.startsWith(place.workspace);
    const real = join(isOfProject ? place.workspace : place.directory, `dot-${client}`);
    renameSync(file, real);
    symlinkSync(real, file);
    chmodSync(real, 0o640);
    const before = readFileSync(real);
    const done = await place.import(client, '--point', '--yes', '--secrets', 'reference');
    expect(done, done.stderr).toMatchObject({ status: 0 });
    expectNoSecrets(done.stdout, done.stderr);
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(statSync(real).mode & 0o777).toBe(0o640);
    expect(readFileSync(real)).not.toEqual(before);
    expect(readdirSync(dirname(real)).filter((name) => name.endsWith('.tidegate'))).toEqual([]);
    expect((await place.import(client, '--undo')).status).toBe(0);
    expect(lstatSync(file).isSymbolicLink()).toBe(true);
    expect(statSync(real).mode & 0o777).toBe(0o640);
    expect(readFileSync(real)).toEqual(before);
  });
});

describe('an unexpected file', () => {
  const isRoot = process.getuid?.() === 0;
  const cases: readonly (readonly [string, ClientName, (file: string) => void, string])[] = [
    [
      'broken JSON',
      'cursor',
      (file) => writeFileSync(file, '{"mcpServers": {"a": hunter2hunter2'),
      'import.broken',
    ],
    ['broken TOML', 'codex', (file) => writeFileSync(file, 'a = = hunter2hunter2'), 'import.broken'],
    [
      'bytes that are not text',
      'gemini',
      (file) => writeFileSync(file, Buffer.from([0x7b, 0xff, 0xfe])),
      'import.broken',
    ],
    ['a list', 'vscode', (file) => writeFileSync(file, '[]'), 'import.broken'],
    ['endless nesting', 'cursor', (file) => writeFileSync(file, '['.repeat(200_000)), 'import.broken'],
    ['a huge file', 'claude', (file) => truncateSync(file, 64 * 1024 * 1024), 'import.too_large'],
    ['a pipe', 'cursor', (file) => remade(file, () => execFileSync('mkfifo', [file])), 'import.unreadable'],
    ['a folder', 'cursor', (file) => remade(file, () => mkdirSync(file)), 'import.unreadable'],
    [
      'a dangling link',
      'cursor',
      (file) => remade(file, () => symlinkSync('/nowhere/at/all', file)),
      'import.unreadable',
    ],
    [
      'a link to itself',
      'cursor',
      (file) => remade(file, () => symlinkSync(file, file)),
      'import.unreadable',
    ],
    ['a read-only file', 'cursor', (file) => chmodSync(file, 0o444), 'import.read_only'],
    ['a file with another name', 'cursor', (file) => linkSync(file, `${file}.twin`), 'import.unwritable'],
    [
      'a duplicate key',
      'cursor',
      (file) => writeFileSync(file, '{"mcpServers":{"a":{"command":"x"},"a":{"command":"y"}}}'),
      'import.unverified',
    ],
    [
      'servers in one line of TOML',
      'codex',
      (file) => writeFileSync(file, 'mcp_servers = { a = { command = "x" } }\n'),
      'import.unverified',
    ],
    ...(isRoot
      ? [
          [
            'a file of somebody else',
            'cursor',
            (file: string) => chownSync(file, 12345, 12345),
            'import.foreign_file',
          ] as const,
        ]
      : []),
  ];

  it.each(cases)('is reported and left alone: %s', async (_, client, spoil, code) => {
    const place = clientPlaceOfTest([client]);
    const file = place.fileOf(client);
    spoil(file);
    const before = place.files();
    const { status, stderr, stdout } = await place.import(
      client,
      '--point',
      '--yes',
      '--secrets',
      'keep',
      '--force',
    );
    expect(stderr).toContain(`error ${code}:`);
    expect(stderr).toContain('next:');
    expect(status).toBe(2);
    expectNoSecrets(stdout, stderr);
    expect(place.files()).toEqual(before);
    expect(existsSync(join(place.workspace, 'tidegate.yaml'))).toBe(false);
    if (code === 'import.unverified') expect(stderr).toContain('tidegate');
  });

  function remade(file: string, make: () => void): void {
    renameSync(file, `${file}.aside`);
    make();
  }

  it('does not affect the others', async () => {
    const place = clientPlaceOfTest(['cursor', 'vscode']);
    writeFileSync(place.fileOf('cursor'), '{');
    const { status, stderr } = await place.import('--yes');
    expect(status).toBe(0);
    expect(stderr).toContain('Skipped:');
    expect(readFileSync(join(place.workspace, 'tidegate.yaml'), 'utf8')).toContain('perplexity');
  });

  it('cannot write to the terminal or change prototypes through its names', async () => {
    const place = clientPlaceOfTest([]);
    mkdirSync(dirname(place.fileOf('cursor')), { recursive: true });
    const servers = {
      '\u001b]0;owned\u0007 x': { command: 'a' },
      ['__proto__']: { command: 'b' },
      '..': { command: 'c', env: { 'A=B': 'x' } },
      'naïve ⚓': { command: 'd' },
    };
    const text = JSON.stringify({ mcpServers: { ...servers } }).replace(
      '"naïve',
      '"__proto__":{"command":"b"},"naïve',
    );
    writeFileSync(place.fileOf('cursor'), text);
    const { status, stdout, stderr } = await place.import('--yes');
    expect(status, stderr).toBe(0);
    expect(stdout + stderr).not.toContain('\u001b]');
    const yaml = readFileSync(join(place.workspace, 'tidegate.yaml'), 'utf8');
    expect(yaml.match(/^ {2}[^ #].*:$/gm)).toEqual(['  0-owned-x:', '  server:', '  nai-ve:']);
    expect(stdout).toContain('not valid in tidegate.yaml');
  });
});

describe('tidegate.yaml', () => {
  it('with errors is not changed', async () => {
    const place = clientPlaceOfTest(['vscode']);
    writeFileSync(join(place.workspace, 'tidegate.yaml'), 'serverz: {}\n');
    const { status, stderr } = await place.import('--yes');
    expect(status).toBe(2);
    expect(stderr).toContain('config.unknown_key');
    expect(readFileSync(join(place.workspace, 'tidegate.yaml'), 'utf8')).toBe('serverz: {}\n');
  });

  it('loses nothing if several imports write at once', async () => {
    const place = clientPlaceOfTest();
    const all = await Promise.all(
      (['claude', 'gemini', 'codex', 'vscode'] as const).map(async (client) => {
        const ran = await place.import(client, '--point', '--yes', '--secrets', 'keep', '--force');
        return { client, ran };
      }),
    );
    const marks = {
      claude: 'mcp.sentry.example',
      gemini: 'mcp-jira',
      codex: 'mcp.linear.example',
      vscode: 'server-perplexity-ask',
    };
    const yaml = readFileSync(join(place.workspace, 'tidegate.yaml'), 'utf8');
    for (const { client, ran } of all) {
      if (ran.status === 0) expect(yaml).toContain(marks[client]);
      else expect(ran.stderr).toMatch(/import\.(?:changed|unwritable|untrusted)/);
      // A client whose servers are not in the file still has them.
      if (!yaml.includes(marks[client]))
        expect(readFileSync(place.fileOf(client), 'utf8')).toContain(marks[client]);
    }
    expect(all.some(({ ran }) => ran.status === 0)).toBe(true);
  });
});

describe('undo', () => {
  it('refuses a file that has changed since, and says where but not what', async () => {
    const place = clientPlaceOfTest(['claude']);
    const file = place.fileOf('claude');
    const before = readFileSync(file, 'utf8');
    await place.import('claude', '--point', '--yes', '--secrets', 'reference');
    const pointed = readFileSync(file, 'utf8');
    const changed = pointed.replace('"numStartups": 41', '"numStartups": 42, "newKey": "hunter2hunter2"');
    writeFileSync(file, changed);
    const refused = await place.import('--undo');
    expect(refused.status).toBe(2);
    expect(refused.stderr).toContain('import.changed');
    expect(refused.stderr).toContain('changed: numStartups');
    expect(refused.stderr).toContain('added: newKey');
    expectNoSecrets(refused.stderr, refused.stdout);
    expect(readFileSync(file, 'utf8')).toBe(changed);
    expect(refused.stderr).toContain('tidegate import claude --undo --keep-changes');
    const forced = await place.import('--undo', '--force', '--json');
    expect(forced.status).toBe(0);
    expect(readFileSync(file, 'utf8')).toBe(before);
    const { undone } = JSON.parse(forced.stdout) as { undone: readonly { keptAs: string }[] };
    expect(readFileSync(undone[0]?.keptAs ?? '', 'utf8')).toBe(changed);
  });

  it.each<ClientName>(['claude', 'codex', 'opencode', 'vscode'])(
    'puts the servers of %s back into a file that has changed since',
    async (client) => {
      const place = clientPlaceOfTest([client]);
      const file = place.fileOf(client);
      await place.import(client, '--point', '--yes', '--disabled', '--secrets', 'reference');
      const pointed = readFileSync(file, 'utf8');
      const late = client === 'codex' ? `late = true\n${pointed}` : pointed.replace('{', '{ "late": true,');
      writeFileSync(file, late);
      const merged = await place.import('--undo', '--keep-changes', '--json');
      expect(JSON.parse(merged.stdout)).toMatchObject({ undone: [{ what: 'merged' }] });
      const text = readFileSync(file, 'utf8');
      expect(text).toContain('late');
      expect(text).not.toContain('tidegate.js');
      // The same servers as before: an import finds nothing new.
      const again = await place.import(client, '--yes', '--disabled', '--json');
      const { servers } = JSON.parse(again.stdout) as { servers: readonly { fate: string }[] };
      expect(new Set(servers.map(({ fate }) => fate))).not.toContain('import');
      expect(servers.filter(({ fate }) => fate === 'present').length).toBeGreaterThan(0);
    },
  );

  it('deletes a file that the import created', async () => {
    const place = clientPlaceOfTest([]);
    const done = await place.import('codex', '--point', '--yes', '--secrets', 'reference');
    expect(done.status, done.stderr).toBe(0);
    expect(readFileSync(place.fileOf('codex'), 'utf8')).toContain('[mcp_servers.tidegate]');
    expect((await place.import('--undo')).status).toBe(0);
    expect(existsSync(place.fileOf('codex'))).toBe(false);
  });

  it('does not touch files of another folder', async () => {
    const place = clientPlaceOfTest(['mcp-json']);
    await place.import('--point', '--yes', '--secrets', 'reference');
    const pointed = readFileSync(place.fileOf('mcp-json'), 'utf8');
    const { status } = await place.run(['import', '--undo'], { cwd: place.home });
    expect(status).toBe(3);
    expect(readFileSync(place.fileOf('mcp-json'), 'utf8')).toBe(pointed);
  });

  it('refuses a modified backup', async () => {
    const place = clientPlaceOfTest(['cursor']);
    await place.import('--point', '--yes', '--secrets', 'reference');
    const folder = join(place.state, 'backups');
    const name = readdirSync(folder).find((one) => one.endsWith('.before')) ?? '';
    writeFileSync(join(folder, name), '{}');
    const { stderr } = await place.import('--undo');
    expect(stderr).toContain('import.not_undoable');
    expect(basename(name)).not.toContain('mcp.json');
  });
});

describe('manually stored values', () => {
  it('are used for unset variables, listed by name, and deleted', async () => {
    const place = clientPlaceOfTest([]);
    writeFileSync(
      join(place.workspace, 'tidegate.yaml'),
      'servers:\n  a: { command: x, env: { K: "${MY_KEY}" } }\n',
    );
    const check = async (): Promise<string> => (await place.run(['config', 'check'])).stdout;
    expect(await check()).toContain('tidegate secrets set MY_KEY');
    const set = await place.run(['secrets', 'set', 'MY_KEY'], { input: 'hunter2hunter2\n' });
    expect(set.stdout).toBe('Stored MY_KEY.\n');
    expect(await check()).toContain('valid');
    const list = await place.run(['secrets', 'list', '--json']);
    expect(JSON.parse(list.stdout)).toMatchObject({ names: ['MY_KEY'] });
    expectNoSecrets(set.stderr, list.stdout);
    expect((await place.run(['secrets', 'forget', 'MY_KEY'])).status).toBe(0);
    expect((await place.run(['secrets', 'forget', 'MY_KEY'])).stderr).toContain('secrets.not_found');
    expect(await check()).toContain('config.env_missing');
  });

  it('are named next to a server from a checkout that uses them', async () => {
    const place = clientPlaceOfTest([]);
    await place.run(['secrets', 'set', 'MY_KEY'], { input: 'hunter2hunter2\n' });
    const entry = { type: 'http', url: 'https://evil.example/mcp', headers: { X: '${MY_KEY}' } };
    writeFileSync(place.fileOf('mcp-json'), JSON.stringify({ mcpServers: { evil: entry } }));
    expect((await place.import('--dry-run')).stdout).toContain('it receives your saved secret MY_KEY');
  });
});

describe.runIf(hasTerminals)('at a terminal', () => {
  it('asks about secrets, then about everything, and stores only what was confirmed', async () => {
    const place = clientPlaceOfTest(['cursor']);
    const terminal = openTerminal({
      args: ['import', '--point'],
      cwd: place.workspace,
      env: place.env,
      columns: 120,
    });
    await terminal.sees('[k]eep / [S]et');
    terminal.type('k\r');
    await terminal.sees('[y/N]');
    terminal.type('y\r');
    expect(await terminal.ended).toBe(0);
    expectNoSecrets(terminal.text());
    expect(readFileSync(join(place.state, 'secrets.json'), 'utf8')).toContain('madeUpToken00000000005');
    const refusing = openTerminal({
      args: ['import', 'codex', '--point'],
      cwd: place.workspace,
      env: place.env,
    });
    await refusing.sees('[y/N]');
    refusing.type('\r');
    expect(await refusing.ended).toBe(6);
    expect(existsSync(place.fileOf('codex'))).toBe(false);
  });
});
