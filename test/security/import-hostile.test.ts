import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ClientName, type ClientPlaceOf, clientPlaceOfTest } from '../support/client-place.js';
import { hasTerminals, openTerminal } from '../support/terminal.js';

/** Puts servers into the file of a client. */
function put(place: ClientPlaceOf, client: ClientName, servers: Readonly<Record<string, unknown>>): void {
  mkdirSync(dirname(place.fileOf(client)), { recursive: true });
  writeFileSync(place.fileOf(client), JSON.stringify({ mcpServers: servers }, undefined, 2));
}

async function isTrusted(place: ClientPlaceOf): Promise<unknown> {
  const { stdout } = await place.run(['config', 'check', '--json']);
  return (JSON.parse(stdout) as { trusted?: unknown }).trusted;
}

describe('a tidegate.yaml from a checkout', () => {
  const planted = '# mine\nservers:\n  planted: { command: evil-program } # keep\n\n\n\n# far away\n';
  const brought = (): { readonly place: ClientPlaceOf; readonly file: string } => {
    const place = clientPlaceOfTest([]);
    put(place, 'cursor', { late: { command: 'late-program' } });
    const file = join(place.workspace, 'tidegate.yaml');
    writeFileSync(file, planted);
    return { place, file };
  };

  it.each([
    [['import', '--yes']],
    [['import', '--yes', '--json']],
    [['import', '--point', '--yes', '--secrets', 'keep']],
  ])('is not trusted by %j', async (args) => {
    const { place, file } = brought();
    const before = place.files();
    const { status, stdout, stderr } = await place.run(args);
    expect(status).toBe(6);
    expect(stdout + stderr).toContain('import.untrusted');
    expect(stdout + stderr).toContain(`tidegate trust ${file}`);
    expect(place.files()).toEqual(before);
    expect(await isTrusted(place)).toBe(false);
    // The control: what a person trusted is added to.
    expect((await place.run(['trust', '--yes', file])).status).toBe(0);
    const again = await place.run(args);
    expect(again.status, again.stderr).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('late-program');
    expect(await isTrusted(place)).toBe(true);
  });

  it('is not used for pointing a client, even if it already contains all servers', async () => {
    const { place, file } = brought();
    // A checkout may know which servers its readers have.
    writeFileSync(file, planted.replace('servers:', 'servers:\n  late: { command: late-program }'));
    const before = place.files();
    const { status, stdout, stderr } = await place.run(['import', '--point', '--yes', '--force']);
    expect(status, stderr).toBe(6);
    expect(stdout + stderr).toContain('import.untrusted');
    expect(place.files()).toEqual(before);
    // The control: once it is trusted, it does.
    expect((await place.run(['trust', '--yes', file])).status).toBe(0);
    expect((await place.run(['import', '--point', '--yes', '--force'])).stdout).toContain('Connected');
  });

  it('is not trusted by init --yes', async () => {
    const { place, file } = brought();
    await place.run(['init', '--yes']);
    expect(readFileSync(file, 'utf8')).toBe(planted);
    expect(await isTrusted(place)).toBe(false);
  });

  it('is shown completely, as data too, until it is trusted', async () => {
    const { place, file } = brought();
    const diffOf = async (): Promise<string> => {
      const { stdout } = await place.import('--dry-run', '--json');
      return (JSON.parse(stdout) as { diff: readonly string[] }).diff.join('\n');
    };
    const whole = await diffOf();
    for (const part of ['evil-program', 'far away', '+   late']) expect(whole).toContain(part);
    expect((await place.import('--dry-run')).stdout).toContain('far away');
    // The control: what was trusted before is not shown again.
    await place.run(['trust', '--yes', file]);
    expect(await diffOf()).not.toContain('far away');
  });

  it.runIf(hasTerminals)('is trusted by a user who saw all of it at a terminal', async () => {
    const { place, file } = brought();
    const terminal = openTerminal({ args: ['import'], cwd: place.workspace, env: place.env, columns: 120 });
    await terminal.sees('[y/N]');
    for (const part of ['evil-program', 'far away']) expect(terminal.text()).toContain(part);
    terminal.type('y\r');
    expect(await terminal.ended).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('late-program');
    expect(await isTrusted(place)).toBe(true);
  });
});

describe('undo', () => {
  const victim = JSON.stringify({ mcpServers: {}, secret: 'of somebody else' });
  const swaps: readonly (readonly [string, (place: ClientPlaceOf, target: string) => void])[] = [
    [
      'the file',
      (place, target) => {
        rmSync(place.fileOf('vscode'));
        symlinkSync(target, place.fileOf('vscode'));
      },
    ],
    [
      'its folder',
      (place, target) => {
        renameSync(dirname(place.fileOf('vscode')), join(place.workspace, 'aside'));
        symlinkSync(dirname(target), dirname(place.fileOf('vscode')));
      },
    ],
  ];

  it.each(swaps)('does not write through a link that replaced %s', async (_, swap) => {
    const place = clientPlaceOfTest(['vscode']);
    const before = readFileSync(place.fileOf('vscode'), 'utf8');
    expect((await place.import('vscode', '--point', '--yes', '--force')).status).toBe(0);
    const target = join(place.directory, 'elsewhere', 'mcp.json');
    mkdirSync(dirname(target));
    for (const content of [victim, readFileSync(place.fileOf('vscode'), 'utf8'), before, undefined]) {
      if (content === undefined) rmSync(target);
      else writeFileSync(target, content);
      if (content === victim) swap(place, target);
      for (const more of [[], ['--force'], ['--keep-changes']]) {
        const { status, stderr } = await place.import('--undo', ...more);
        expect(status, stderr).toBe(2);
        expect(['import.moved', ...(content === undefined ? ['import.unreadable'] : [])]).toContain(
          /error (\S+):/.exec(stderr)?.[1],
        );
        expect(existsSync(target) ? readFileSync(target, 'utf8') : undefined).toBe(content);
      }
    }
  });

  it('works if links were on the path from the start, for new files too', async () => {
    const place = clientPlaceOfTest([]);
    const real = join(place.directory, 'dots');
    mkdirSync(real);
    symlinkSync(real, dirname(place.fileOf('codex')));
    expect((await place.import('codex', '--point', '--yes')).status).toBe(0);
    expect(existsSync(join(real, 'config.toml'))).toBe(true);
    const undone = await place.import('--undo');
    expect(undone.status, undone.stderr).toBe(0);
    expect(existsSync(join(real, 'config.toml'))).toBe(false);
  });
});

describe('a project file that is a link', () => {
  const own = {
    mine: { command: 'own-program', env: { OWN_TOKEN: 'ghp_madeUpForTests0000000000000000000009' } },
  };

  it.each(['file', 'folder'])(
    'is skipped and reported if it points outside the project: %s',
    async (kind) => {
      const place = clientPlaceOfTest([]);
      put(place, 'cursor', own);
      put(place, 'mcp-json', { theirs: { command: 'their-program' } });
      const file = join(place.workspace, '.cursor', 'mcp.json');
      if (kind === 'folder') symlinkSync(dirname(place.fileOf('cursor')), dirname(file));
      else {
        mkdirSync(dirname(file));
        symlinkSync(place.fileOf('cursor'), file);
      }
      const { status, stdout, stderr } = await place.import(
        '--scope',
        'project',
        '--point',
        '--yes',
        '--json',
      );
      expect(status, stderr).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        servers: [{ name: 'theirs' }],
        problems: [{ code: 'import.outside' }],
      });
      expect(readFileSync(place.fileOf('cursor'), 'utf8')).toContain('own-program');
      expect(readFileSync(join(place.workspace, 'tidegate.yaml'), 'utf8')).not.toContain('own-program');
      // Without the scope it is read as what it is: a file of the user.
      const all = await place.import('--dry-run', '--json');
      expect(JSON.parse(all.stdout)).toMatchObject({ problems: [{ code: 'import.outside' }] });
      expect(all.stdout).toContain('"mine"');
    },
  );

  it('is read if it stays in the project, or is in the home of the user', async () => {
    const place = clientPlaceOfTest([]);
    put(place, 'cursor', own);
    const inner = join(place.workspace, 'shared.json');
    writeFileSync(inner, JSON.stringify({ mcpServers: { theirs: { command: 'their-program' } } }));
    symlinkSync(inner, place.fileOf('mcp-json'));
    const { stdout } = await place.import('--scope', 'project', '--dry-run', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ servers: [{ name: 'theirs' }], problems: [] });
    const dots = join(place.directory, 'dots.json');
    renameSync(place.fileOf('cursor'), dots);
    symlinkSync(dots, place.fileOf('cursor'));
    const user = await place.import('--scope', 'user', '--dry-run', '--json');
    expect(JSON.parse(user.stdout)).toMatchObject({ servers: [{ name: 'mine' }], problems: [] });
  });
});

describe('a stored secret', () => {
  const value = 'ghp_madeUpForTests0000000000000000000008';
  const github = { command: 'npx', args: ['github'], env: { GITHUB_TOKEN: value } };
  const reference = 'env: { GITHUB_TOKEN: "${GITHUB_TOKEN}" }';
  const present = `  github: { command: npx, args: [github], ${reference} }\n`;
  const users: readonly (readonly [string, string])[] = [
    ['a server', `servers:\n${present}  evil: { command: evil-program, env: { T: "\${GITHUB_TOKEN}" } }\n`],
    [
      'an alias',
      `servers:\n  github: { command: npx, args: [github], env: &all { GITHUB_TOKEN: "\${GITHUB_TOKEN}" } }\n  evil: { command: evil-program, env: *all }\n`,
    ],
    [
      'a default',
      `servers:\n${present}  evil: { command: evil-program, env: { T: "\${GITHUB_TOKEN:-x}" } }\n`,
    ],
    ['only another server', 'servers:\n  evil: { command: evil-program, env: { T: "${GITHUB_TOKEN}" } }\n'],
  ];

  it.each(users)('gets another name if its own is used by %s', async (_, yaml) => {
    const place = clientPlaceOfTest([]);
    put(place, 'cursor', { github });
    const file = join(place.workspace, 'tidegate.yaml');
    writeFileSync(file, yaml);
    const trusted = await place.run(['trust', '--yes', file], { env: { ...place.env, GITHUB_TOKEN: 'x' } });
    expect(trusted.status, trusted.stderr).toBe(0);
    const done = await place.import('--yes', '--secrets', 'keep');
    expect(done.status, done.stderr).toBe(0);
    const kept = readFileSync(join(place.state, 'secrets.json'), 'utf8');
    expect(kept).toContain(`"GITHUB_GITHUB_TOKEN": "${value}"`);
    expect(kept).not.toContain('"GITHUB_TOKEN"');
    expect(readFileSync(file, 'utf8')).toContain('${GITHUB_GITHUB_TOKEN}');
  });

  it('keeps its name if only its own server, or one with the same value, uses it', async () => {
    const place = clientPlaceOfTest([]);
    put(place, 'cursor', { github, twin: { ...github, args: ['twin'] } });
    expect((await place.import('--yes')).status).toBe(0);
    const again = await place.import('--yes', '--secrets', 'keep', '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({
      servers: [{ fate: 'present' }, { fate: 'present' }],
      kept: ['GITHUB_TOKEN'],
    });
  });
});

describe('permission to call tools without asking', () => {
  const textsOf: Readonly<Record<'gemini' | 'codex', (isFree: boolean) => string>> = {
    gemini: (isFree) => JSON.stringify({ mcpServers: { own: { command: 'own-program', trust: isFree } } }),
    codex: (isFree) =>
      `[mcp_servers.own]\ncommand = "own-program"\ndefault_tools_approval_mode = "${isFree ? 'approve' : 'prompt'}"\n`,
  };

  it.each(['gemini', 'codex'] as const)(
    'is not passed on to the gateway by %s, and this is reported',
    async (client) => {
      for (const isFree of [true, false]) {
        const place = clientPlaceOfTest([client]);
        writeFileSync(place.fileOf(client), textsOf[client](isFree));
        const done = await place.import(client, '--point', '--yes');
        expect(done.status, done.stderr).toBe(0);
        const text = readFileSync(place.fileOf(client), 'utf8');
        expect(text).not.toContain('own-program');
        expect(text).not.toMatch(/"trust": *true|"approve"/);
        // The control: what asks more than usual goes to the gate.
        expect(/"trust": *false|"prompt"/.test(text)).toBe(!isFree);
        expect(done.stdout.includes('is not imported: it would apply to all tools')).toBe(isFree);
      }
    },
  );
});

describe('a very long name in a client file', () => {
  it.each([[['import', '--dry-run']], [['init', '--yes']], [['doctor']]])(
    'does not fill the screen: %j',
    async (words) => {
      const place = clientPlaceOfTest([]);
      put(place, 'cursor', { ['n'.repeat(200_000)]: { command: 'a' }, fine: { command: 'b' } });
      const { stdout, stderr } = await place.run(words);
      expect(stdout.length + stderr.length).toBeLessThan(10_000);
      // The control: it was looked at.
      if (words[0] !== 'doctor') expect(stdout).toContain('… (200000 characters)');
    },
  );
});
