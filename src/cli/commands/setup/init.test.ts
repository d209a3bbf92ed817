import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTypedPlace } from '../../typed.fixture.js';

let typed: ReturnType<typeof openTypedPlace>;
beforeEach(() => {
  typed = openTypedPlace();
});
afterEach(() => typed.close());

it('writes nothing if the answer is no', async () => {
  const { code, err } = await typed.type(['init'], '.', 'n');
  expect(code).toBe(6);
  expect(err).toContain('error import.refused: Nothing was written.');
  expect(err).toContain('next: tidegate init --dry-run');
  expect((await typed.type(['config', 'path'])).err).toContain('config.not_found');
});

it('mentions secrets only if something changes', async () => {
  const env = { GITHUB_TOKEN: 'ghp_madeUpForTests0000000000000000000009' };
  const mcpServers = { github: { command: 'github-server', env } };
  writeFileSync(join(typed.home, '.claude.json'), JSON.stringify({ mcpServers }));
  expect((await typed.type(['init', '--yes'])).out).toContain('Plain-text secrets');
  for (const words of [
    ['init', '--yes'],
    ['import', '--yes'],
  ])
    expect((await typed.type(words)).out).not.toContain('Plain-text secrets');
});

it('names a schema for editors only if it exists', async () => {
  expect((await typed.type(['init', '--dry-run'])).out).not.toContain('$schema');
  const schema = 'node_modules/tidegate/schema/tidegate.schema.json';
  typed.write(schema, '{}');
  expect((await typed.type(['init', '--dry-run'])).out).toContain(
    `# yaml-language-server: $schema=${schema}`,
  );
});
