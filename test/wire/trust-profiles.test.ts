import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openHttpGate, openPlace, type Place, waitFor } from '../support/gate.js';
import { runGate } from '../support/run-program.js';

let place: Place;
beforeEach(() => {
  place = openPlace({ builtins: ['*'] });
});
afterEach(() => place.close());

function write(name: string, text: string): string {
  const file = join(dirname(place.configFile), name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  return file;
}

async function trust(
  ...args: readonly string[]
): Promise<{ readonly said: string; readonly status: number | null }> {
  const { stdout, stderr, status } = await runGate(place, ['trust', ...args]);
  return { said: stdout + stderr, status };
}

/** The tools that an agent with the profile `mine` sees here. */
async function toolsOfAlice(): Promise<string> {
  const ask = (id: number, method: string, params: object) =>
    `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`;
  const hello = {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'test', version: '1' },
  };
  const input = ask(1, 'initialize', hello) + ask(2, 'tools/list', {});
  const { stdout, stderr, status } = await runGate(place, ['mcp', '--as', 'agent:alice'], { input });
  const names = [...stdout.matchAll(/"name":"([A-Z][A-Za-z]+)","title"/g)].map(([, name]) => name);
  return status === 0
    ? names.sort().join(' ')
    : `refused ${/error (profiles\.\w+)/.exec(stderr)?.[1] ?? stderr}`;
}

const policy =
  'default_profile: mine\nprofiles:\n  mine: {extends: minimal, tools: [Write, "!Grep"], see_only: [Edit]}\n';
const model = 'type team\n  relations\n    define member: [principal]\n';

describe('profiles and a model from a checkout', () => {
  it('are shown before they are trusted, and trusted and untrusted together with the rest', async () => {
    const files = [write('.tidegate/profiles.yaml', policy), write('.tidegate/model.fga', model)];
    const shown = await trust();
    expect(shown.status).toBe(6);
    expect(shown.said).toContain('profile  mine = minimal + Write, !Grep sees Edit');
    expect(shown.said).toContain('default  mine');
    expect((await trust('--list')).said).not.toContain('profiles.yaml');
    expect((await trust('--yes')).status).toBe(0);
    const listed = (await trust('--list')).said;
    for (const file of files) expect(listed).toContain(file);
    expect((await trust('--forget')).status).toBe(0);
    expect((await trust('--list')).said).toContain('Nothing is trusted');
  });

  it('[15.6] are shown in full: no tool is abbreviated to a count', async () => {
    const many = Array.from({ length: 60 }, (_, at) => `tool_${String(at)}`);
    write('.tidegate/profiles.yaml', `profiles:\n  mine: {tools: [${many.join(', ')}, Bash]}\n`);
    const { said } = await trust();
    expect(said).toContain('tool_59, Bash');
    // Control: the profile grants Bash to its agents.
    expect((await trust('--yes')).status).toBe(0);
    await runGate(place, ['profile', 'assign', 'agent:alice', 'mine']);
    expect(await toolsOfAlice()).toContain('Bash');
  });

  it('are trusted individually if named', async () => {
    const file = write('.tidegate/profiles.yaml', policy);
    write('.tidegate/model.fga', model);
    expect((await trust('--yes', file)).said).toContain(`Trusted: ${file}`);
    expect((await trust('--list')).said).not.toContain('model.fga');
    expect((await trust('--forget', file)).said).toContain(`No longer trusted: ${file}`);
    expect((await trust('--yes', join(dirname(file), 'tool_profiles.yaml'))).status).toBe(3);
  });

  it.each<readonly [string, string, string]>([
    ['.tidegate/profiles.yaml', 'profiles: {a: {extends: b}, b: {extends: a}}', 'a -> b -> a'],
    ['tool_profiles.yaml', 'profiles: {a: {tools: [! Bash]}}', 'config.syntax'],
    ['.tidegate/model.fga', 'type tool\n', 'access.bad_model'],
  ])('cannot be trusted with errors: %s', async (name, text, word) => {
    const file = write(name, text);
    const { said, status } = await trust('--yes');
    expect({ status, hasWord: said.includes(word) }).toEqual({ status: 2, hasWord: true });
    expect((await trust('--list')).said).not.toContain(file);
  });

  it('decide what an agent sees only as long as their content is trusted', async () => {
    const file = write('.tidegate/profiles.yaml', policy);
    expect(await toolsOfAlice()).toBe('Glob Grep Read');
    await trust('--yes');
    expect(await toolsOfAlice()).toBe('Edit Glob Read Write');
    // Write access to the file must not grant more rights, neither through its content nor through the built-in profiles.
    write('.tidegate/profiles.yaml', policy.replace('"!Grep"', 'Bash'));
    expect(await toolsOfAlice()).toBe('refused profiles.changed');
    rmSync(file);
    expect(await toolsOfAlice()).toBe('refused profiles.changed');
    expect((await trust('--yes')).said).toContain(`No longer trusted: ${file}`);
    expect(await toolsOfAlice()).toBe('Glob Grep Read');
  });

  it('are removed with a list of who gets which profile instead, and both changes are audited', async () => {
    write(
      '.tidegate/profiles.yaml',
      `default_profile: none
profiles:
  viewer: {tools: [], see_only: ["*"]}
  coding: {tools: [Read, Gerp]}
principals:
  agent:alice: {profile: viewer, add: [Edit]}
`,
    );
    await trust('--yes');
    await runGate(place, ['profile', 'assign', 'agent:bob', 'viewer']);
    const { said } = await trust('--forget');
    expect(said).toContain('principals without a profile: minimal (before: nothing)');
    expect(said).toContain('agent:bob: nothing: the profile no longer exists (before: viewer)');
    expect(said).toContain(
      'principals with the profile coding: the built-in profile coding (before: coding)',
    );
    expect(said).toContain('agent:alice: minimal (before: viewer +Edit)');
    const { stdout } = await runGate(place, ['audit', '--action', 'profiles.change']);
    expect(stdout).toMatch(/profiles\.change .*profiles\.yaml {2}forgotten\n.*profiles\.yaml {2}trusted/);
  });

  it('are reported at startup if they name tools that do not exist', async () => {
    write('.tidegate/profiles.yaml', 'profiles:\n  calm:\n    tools: [Read, "!Bsah"]\n');
    await trust('--yes');
    const gate = await openHttpGate(place);
    const warned = /profiles\.yaml:3:\d+: warning profiles\.unknown_tool: .*Bsah.*Did you mean `Bash`/;
    await waitFor(
      () => warned.test(gate.said()),
      20_000,
      () => gate.said(),
    );
    await gate.close();
  });

  it('are refused if there are two files', async () => {
    write('.tidegate/profiles.yaml', policy);
    write('tool_profiles.yaml', policy);
    expect(await toolsOfAlice()).toBe('refused profiles.ambiguous');
    const { said } = await trust('--yes');
    expect(said).toContain('.tidegate/profiles.yaml and tool_profiles.yaml');
  });
});
