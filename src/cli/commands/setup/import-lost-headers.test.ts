import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openTypedPlace } from '../../typed.fixture.js';

let typed: ReturnType<typeof openTypedPlace>;
let cursor: string;
const token = 'ghp_madeUpForTests0000000000000000000009';
const url = 'https://github.test/mcp';
beforeEach(() => {
  typed = openTypedPlace();
  cursor = join(typed.home, '.cursor', 'mcp.json');
  mkdirSync(dirname(cursor), { recursive: true });
  has(join(typed.folder, '.mcp.json'), {
    type: 'http',
    url,
    headers: { Authorization: 'Bearer ${GH_TOKEN_X}' },
  });
  has(cursor, { url, headers: { Authorization: `Bearer ${token}` } });
});
afterEach(() => typed.close());

function has(file: string, github: unknown): void {
  writeFileSync(file, JSON.stringify({ mcpServers: { github } }));
}

it('secrets of a server that is not added are neither listed nor stored', async () => {
  expect((await typed.type(['init', '--yes'])).out).not.toContain('Plain-text secrets');
  const { code, out } = await typed.type(['import', '--secrets', 'keep', '--yes']);
  expect(code).toBe(0);
  expect(out).toContain('has the same URL but different headers');
  expect(out).not.toContain('GITHUB_TOKEN');
  expect((await typed.type(['secrets', 'list'])).out).not.toContain('GITHUB_TOKEN');
}, 60_000);

it('the control: secrets of a server that was added are kept by a later import', async () => {
  has(join(typed.folder, '.mcp.json'), { command: 'other' });
  expect((await typed.type(['init', '--yes'])).code).toBe(0);
  const { out } = await typed.type(['import', '--secrets', 'keep', '--yes']);
  expect(out).toMatch(/Stored \w*GITHUB\w* in the secrets file/);
});

it.each([['--dry-run'], ['--yes', '--force']])(
  'pointing with %s says whose headers are dropped',
  async (...more) => {
    await typed.type(['init', '--yes']);
    const { code, out, err } = await typed.type(['import', 'cursor', '--point', ...more]);
    expect([code, out + err]).toEqual([0, expect.not.stringContaining(token)]);
    expect(err.replaceAll(/\s+/g, ' ')).toContain(
      'Cursor no longer uses its own headers for github: Tidegate uses those of github in tidegate.yaml',
    );
    expect(readFileSync(cursor, 'utf8').includes(token)).toBe(more.includes('--dry-run'));
  },
);

it('pointing says nothing if no headers are lost', async () => {
  has(cursor, { url });
  await typed.type(['init', '--yes']);
  const { err } = await typed.type(['import', 'cursor', '--point', '--dry-run']);
  expect(err).not.toContain('no longer uses');
});
