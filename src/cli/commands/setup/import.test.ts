import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTypedPlace } from '../../typed.fixture.js';

let typed: ReturnType<typeof openTypedPlace>;
let client: string;
const secret = 'ghp_madeUpForTests0000000000000000000009';
const servers = {
  github: { command: 'github-server', env: { GITHUB_TOKEN: secret } },
  sentry: { command: 'sentry-server', env: { SENTRY_TOKEN: '${SENTRY_TOKEN}' } },
};
beforeEach(() => {
  typed = openTypedPlace();
  client = join(typed.home, '.claude.json');
  has('github');
});
afterEach(() => typed.close());

function has(...names: readonly (keyof typeof servers)[]): void {
  const mcpServers = Object.fromEntries(names.map((name) => [name, servers[name]]));
  writeFileSync(client, JSON.stringify({ mcpServers }, undefined, 2));
  chmodSync(client, 0o600);
}

const point = ['import', 'claude', '--point'];
const set = 'tidegate secrets set GITHUB_TOKEN';

describe('pointing a client at a gateway that cannot start', () => {
  it('is refused with --yes, even if an earlier command wrote the reference', async () => {
    expect((await typed.type(['init', '--yes'])).code).toBe(0);
    const before = readFileSync(client, 'utf8');
    const { code, err } = await typed.type([...point, '--yes']);
    expect(code).toBe(2);
    expect(err).toContain(set);
    expect(err).toContain('error import.variables_unset:');
    expect(err).toContain('next: tidegate import claude --point --yes --secrets keep');
    expect(readFileSync(client, 'utf8')).toBe(before);
    // The suggested command works, and the configuration is valid then.
    expect((await typed.type([...point, '--yes', '--secrets', 'keep'])).code).toBe(0);
    expect(readFileSync(client, 'utf8')).not.toContain(secret);
    expect((await typed.type(['config', 'check'])).code).toBe(0);
    // The first test of a file loads most of the program.
  }, 60_000);

  it('is refused if a variable has no value to store', async () => {
    has('github', 'sentry');
    const { code, err } = await typed.type([...point, '--yes', '--secrets', 'keep']);
    expect(code).toBe(2);
    expect(err).toContain('SENTRY_TOKEN has no value');
    expect(err).toContain('next: tidegate secrets set SENTRY_TOKEN');
    expect((await typed.type([...point, '--yes', '--secrets', 'keep', '--force'])).code).toBe(0);
    expect(readFileSync(client, 'utf8')).not.toContain(secret);
  });

  it('is allowed with a warning with --secrets reference', async () => {
    const { code, out } = await typed.type([...point, '--yes', '--secrets', 'reference']);
    expect(code).toBe(0);
    expect(out).toContain(set);
    expect(readFileSync(client, 'utf8')).not.toContain(secret);
  });

  it('is shown before the confirmation', async () => {
    await typed.type(['init', '--yes']);
    const { out } = await typed.type(point, '.', 's', 'n');
    expect(out.indexOf(set)).toBeGreaterThan(-1);
    expect(out.indexOf(set)).toBeLessThan(out.indexOf('[y/N]'));
  });
});

describe('the question about secrets', () => {
  it.each([
    ['k', true],
    ['YES', true],
    ['s', false],
    ['no', false],
    ['', false],
  ])('understands the answer %j', async (answer, isKept) => {
    const { code, out } = await typed.type(['import'], '.', answer, 'y');
    expect(code).toBe(0);
    expect(out.includes('Stored GITHUB_TOKEN')).toBe(isKept);
  });

  it('is asked again after any other answer', async () => {
    const { out } = await typed.type(['import'], '.', 'maybe', 'keep', 'y');
    expect(out.split('[k]eep / [S]et')).toHaveLength(3);
    expect(out).toContain('Stored GITHUB_TOKEN');
  });
});
