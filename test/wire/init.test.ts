import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ClientPlaceOf, clientPlaceOfTest } from '../support/client-place.js';
import { program } from '../support/gate.js';

function put(file: string, text: string, mode = 0o644): string {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, mode);
  return file;
}

/** A package as npm installs it, with the given program. */
function install(place: ClientPlaceOf, name: string, script: string, mode = 0o755): string {
  const home = join(place.directory, 'lib', name);
  put(join(home, 'package.json'), '{"version":"9.8.7"}');
  const file = put(join(home, 'cli'), `#!/bin/sh\n${script}\n`, mode);
  const linked = join(place.directory, 'bin', name);
  mkdirSync(dirname(linked), { recursive: true });
  symlinkSync(file, linked);
  return linked;
}

const withBin = (place: ClientPlaceOf, ...more: readonly string[]) => ({
  env: {
    ...place.env,
    TMPDIR: tmpOf(place),
    PATH: [join(place.directory, 'bin'), ...more, dirname(process.execPath), '/usr/bin', '/bin'].join(':'),
  },
});

/** A separate state folder, because other tests start agents at the same time. */
function tmpOf({ directory }: ClientPlaceOf): string {
  mkdirSync(join(directory, 'tmp'), { recursive: true });
  return join(directory, 'tmp');
}

describe('agents that cannot start', () => {
  it('are reported by init and doctor with a command, and are not suggested as a first step', async () => {
    const place = clientPlaceOfTest([]);
    install(place, 'claude', 'echo "Error: native binary not installed" >&2; exit 1');
    install(place, 'codex', 'echo 1.0.0');
    const blocked = install(place, 'opencode', 'echo 1.0.0', 0o644);
    const slow = install(place, 'gemini', 'sleep 600');
    const begun = performance.now();
    const init = await place.run(['init', '--yes'], withBin(place));
    // A slow agent delays nothing.
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(init.status, init.stderr).toBe(0);
    expect(init.stdout).toMatch(/Agents +Gemini CLI 9\.8\.7, Codex 9\.8\.7\n/);
    expect(init.stdout).toContain('Claude Code cannot start: it exits with code 1: Error: native binary');
    expect(init.stdout).toContain('next: npm install -g @anthropic-ai/claude-code');
    expect(init.stdout).toContain(`OpenCode cannot start: ${blocked} is not executable`);
    expect(init.stdout).toContain(`next: chmod +x ${blocked}`);
    expect(init.stdout).not.toContain('tidegate import claude --point');
    const { stdout } = await place.run(['doctor', '--only', 'agents', '--json'], withBin(place));
    const { checks } = JSON.parse(stdout) as {
      readonly checks: readonly { readonly id: string; readonly findings: readonly object[] }[];
    };
    expect(checks.find(({ id }) => id === 'agents')?.findings).toMatchObject([
      { state: 'warn', about: 'Claude Code', next: 'npm install -g @anthropic-ai/claude-code' },
      { state: 'note', facts: { program: slow } },
      { state: 'note', about: 'Codex 9.8.7', next: 'tidegate doctor --agent codex' },
      { state: 'warn', about: 'OpenCode', next: `chmod +x ${blocked}` },
    ]);
    expect(readdirSync(tmpOf(place))).toEqual([]);
  });

  it('are not started if they are part of an untrusted project', async () => {
    const place = clientPlaceOfTest([]);
    const bin = join(place.workspace, 'node_modules', '.bin');
    const marker = join(place.directory, 'started');
    put(join(bin, 'claude'), `#!/bin/sh\ntouch ${marker}\n`, 0o755);
    await place.run(['init', '--dry-run'], withBin(place, bin));
    expect(existsSync(marker)).toBe(false);
    // The control: the same program elsewhere on PATH is started.
    put(join(place.directory, 'other', 'claude'), `#!/bin/sh\ntouch ${marker}\n`, 0o755);
    await place.run(['init', '--dry-run'], withBin(place, join(place.directory, 'other')));
    expect(existsSync(marker)).toBe(true);
    expect(existsSync(place.state)).toBe(false);
  });

  it('are started again with the home of the user, which version manager shims need', async () => {
    const place = clientPlaceOfTest([]);
    put(join(place.home, '.versions'), '');
    install(place, 'claude', 'test -f "$HOME/.versions"');
    const { stdout } = await place.run(['init', '--dry-run'], withBin(place));
    expect(stdout).toMatch(/Agents +Claude Code 9\.8\.7\n/);
  });
});

describe('a home under git', () => {
  it('is not a project: init in a subfolder writes there, and its files count as the user’s', async () => {
    const place = clientPlaceOfTest([]);
    mkdirSync(join(place.home, '.git'));
    const mcp = put(join(place.home, '.mcp.json'), '{"mcpServers":{"one":{"command":"one"}}}');
    const below = join(place.home, 'x');
    mkdirSync(below);
    const init = await place.run(['init', '--yes', '--json'], { cwd: below });
    expect(JSON.parse(init.stdout)).toMatchObject({ file: join(below, 'tidegate.yaml'), servers: [] });
    expect(existsSync(join(place.home, 'tidegate.yaml'))).toBe(false);
    const point = ['import', '--point', '--yes', '--json'];
    const home = await place.run(point, { cwd: place.home });
    expect(JSON.parse(home.stdout)).toMatchObject({
      servers: [{ file: mcp, scope: 'user' }],
      points: [{ file: mcp, gate: 'absolute' }],
    });
    // The control: in another folder under git, the file belongs to the project.
    mkdirSync(join(place.workspace, '.git'));
    put(join(place.workspace, '.mcp.json'), '{"mcpServers":{"one":{"command":"one"}}}');
    mkdirSync(join(place.workspace, 'y'));
    const project = await place.run(point, { cwd: join(place.workspace, 'y') });
    expect(JSON.parse(project.stdout)).toMatchObject({ servers: [{ scope: 'project' }] });
  });
});

describe('a Tidegate entry in a project file', () => {
  it('starts Tidegate by name if that is this program on PATH, and says what colleagues need', async () => {
    const place = clientPlaceOfTest([]);
    const file = (): string => join(place.workspace, '.mcp.json');
    const servers = '{"mcpServers":{"one":{"command":"one"}}}';
    put(file(), servers);
    put(join(place.directory, 'bin', 'tidegate'), '#!/bin/sh\n', 0o755);
    const local = await place.run(['import', '--point', '--yes'], withBin(place));
    expect(readFileSync(file(), 'utf8')).toContain(JSON.stringify(program));
    expect(local.stderr).toContain('install Tidegate and use --gate name');
    put(file(), servers);
    const linked = join(place.directory, 'linked');
    mkdirSync(linked);
    symlinkSync(program, join(linked, 'tidegate'));
    const env = { ...place.env, PATH: `${linked}:${withBin(place).env.PATH}` };
    const named = await place.run(['import', '--point', '--yes'], { env });
    expect(readFileSync(file(), 'utf8')).toMatch(/"command": ?"tidegate"/);
    expect(named.stderr).toContain('everyone on the project needs it on PATH');
    expect(named.stderr).toContain('tidegate trust');
  });
});

describe('npx', () => {
  const servers = '{"mcpServers":{"one":{"command":"one"}}}';

  it('[15.37] with npx is only written into a shared file on request', async () => {
    const place = clientPlaceOfTest([]);
    const file = put(join(place.workspace, '.mcp.json'), servers);
    const point = ['import', '--point', '--scope', 'project', '--yes'];
    expect((await place.run(point, withBin(place))).status).toBe(0);
    expect(readFileSync(file, 'utf8')).not.toContain('npx');
    expect(readFileSync(file, 'utf8')).toContain(JSON.stringify(program));
    // The control: on request it is written, with exactly this version.
    put(file, servers);
    const asked = await place.run([...point, '--gate', 'npx'], withBin(place));
    expect(readFileSync(file, 'utf8')).toMatch(/"tidegate@\d+\.\d+\.\d+[^"]*"/);
    expect(asked.stderr).toContain('starts tidegate with npx');
  });
});

describe('a file of another user', () => {
  it.skipIf(process.getuid?.() !== 0)('in a parent folder is skipped and reported', async () => {
    const place = clientPlaceOfTest([]);
    const { chownSync } = await import('node:fs');
    mkdirSync(join(place.workspace, '.git'));
    const below = join(place.workspace, 'x');
    mkdirSync(below);
    const theirs = put(join(place.workspace, '.mcp.json'), '{"mcpServers":{"theirs":{"command":"t"}}}');
    const options = ['import', '--dry-run'];
    expect((await place.run(options, { cwd: below })).stdout).toContain('theirs');
    chownSync(theirs, 12_345, 12_345);
    const { status, stdout, stderr } = await place.run([...options, 'mcp-json'], { cwd: below });
    expect([status, stdout]).toEqual([0, expect.not.stringContaining('theirs')]);
    expect(stderr).toContain(`Skipped: ${theirs} belongs to another user.`);
  });
});
