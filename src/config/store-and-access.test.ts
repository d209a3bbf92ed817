import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type Config, defaultConfig, loadConfig } from './index.js';

async function load(text: string): Promise<{ readonly config: Config; readonly found: readonly string[] }> {
  const env = { DATABASE_URL: 'postgres://u:canary@db/tidegate' };
  const file = join('/workspace', 'tidegate.yaml');
  const { config, problems } = await loadConfig({ file, text, env, home: '/home/ada' });
  const found = problems.map(({ code, line, column, path }) => `${line}:${column} ${code} ${path}`);
  expect(JSON.stringify(problems)).not.toContain('canary');
  return { config, found };
}

describe('the store', () => {
  it.each([
    ['', { kind: 'sqlite' }],
    [
      'store: {kind: sqlite, file: data/access.db}',
      { kind: 'sqlite', file: join('/workspace', 'data', 'access.db') },
    ],
    ['store: {file: ~/a.db}', { kind: 'sqlite', file: join('/home/ada', 'a.db') }],
    ['store: {kind: memory}', { kind: 'memory' }],
    [
      'store: {kind: postgres, url: "${DATABASE_URL}"}',
      { kind: 'postgres', url: 'postgres://u:canary@db/tidegate' },
    ],
    [
      'store: {kind: postgres, url: "postgresql:///tidegate?host=/run/postgresql"}',
      { kind: 'postgres', url: 'postgresql:///tidegate?host=/run/postgresql' },
    ],
  ])('of %j', async (text, expected) => {
    const { config, found } = await load(text);
    expect(found).toEqual([]);
    expect(config.store).toEqual(expected);
  });

  it.each([
    ['store: {kind: redis}', ['1:15 config.bad_value store.kind']],
    ['store: {kind: postgres}', ['1:1 config.missing store.url']],
    ['store: {kind: postgres, url: "${GONE}"}', ['1:31 config.env_missing store.url']],
    ['store: {kind: postgres, url: "http://u:canary@x"}', ['1:30 config.bad_value store.url']],
    ['store: {kind: postgres, url: "postgres://x", file: y}', ['1:46 config.exclusive store.file']],
    ['store: {url: "postgres://x"}', ['1:9 config.exclusive store.url']],
    ['store: {kind: memory, file: x}', ['1:23 config.exclusive store.file']],
    ['store: {path: x}', ['1:9 config.unknown_key store.path']],
  ])('is not %j', async (text, expected) => {
    expect((await load(text)).found).toEqual(expected);
  });
});

describe('access', () => {
  it('uses the zone local unless the file sets another one', async () => {
    expect(defaultConfig('/workspace').access).toEqual({ zone: 'local', auditKeep: 90 });
    const { config, found } = await load(
      'access: {zone: team-a, audit_keep: 30, default_profile: none, profiles: policy/p.yaml, model: ~/m.fga}',
    );
    expect(found).toEqual([]);
    expect(config.access).toEqual({
      zone: 'team-a',
      auditKeep: 30,
      defaultProfile: 'none',
      profiles: join('/workspace', 'policy', 'p.yaml'),
      model: join('/home/ada', 'm.fga'),
    });
  });

  it.each([
    'access: {zone: ""}',
    'access: {zone: a/b}',
    'access: {audit_keep: -1}',
    'access: {audit_keep: 90d}',
    'access: {zone: "a b"}',
    'access: {default_profile: "*"}',
  ])('is refused for %s', async (text) => {
    expect((await load(text)).found).toHaveLength(1);
  });
});
