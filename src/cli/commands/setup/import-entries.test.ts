import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openTypedPlace } from '../../typed.fixture.js';

let typed: ReturnType<typeof openTypedPlace>;
let cursor: string;
beforeEach(() => {
  typed = openTypedPlace();
  cursor = join(typed.home, '.cursor', 'mcp.json');
});
afterEach(() => typed.close());

function put(file: string, content: unknown): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(content, undefined, 2));
}

const gone = { command: '/gone/node', args: ['/gone/tidegate.js', 'mcp'] };
const words = { ...gone, args: [...gone.args, '--as', 'agent:alice'] };
const one = { command: 'one-server' };

interface Row {
  readonly state: string;
  readonly about?: string;
  readonly detail: string;
  readonly next?: string;
}

async function rows(): Promise<readonly Row[]> {
  const { out } = await typed.type(['doctor', '--only', 'clients', '--json']);
  const { checks } = JSON.parse(out) as { readonly checks: readonly { readonly findings: readonly Row[] }[] };
  return checks[0]?.findings ?? [];
}

async function whys(...more: readonly string[]): Promise<readonly (string | undefined)[]> {
  const { out } = await typed.type(['import', 'cursor', ...more, '--dry-run', '--json']);
  const { servers } = JSON.parse(out) as { readonly servers: readonly { readonly why?: string }[] };
  return servers.map(({ why }) => why);
}

describe('an entry for a missing gateway', () => {
  it('is left unchanged, and import and doctor agree about it', async () => {
    // A backup of the file exists from an earlier --point.
    put(cursor, { mcpServers: { one } });
    expect((await typed.type(['import', 'cursor', '--point', '--yes'])).code).toBe(0);
    put(cursor, { mcpServers: { tidegate: words } });
    const before = readFileSync(cursor, 'utf8');
    const hand = `fix /gone/node in ${cursor} by hand`;
    const { out } = await typed.type(['import', 'cursor', '--point', '--yes']);
    const said = out.replaceAll(/\s+/g, ' ');
    expect(said).toContain('Tidegate entry that cannot start: /gone/node does not exist or is not a program');
    expect(await whys('--point')).toEqual([
      expect.stringContaining(`${hand}, because it has extra arguments or variables`),
    ]);
    expect(readFileSync(cursor, 'utf8')).toBe(before);
    expect(await rows()).toMatchObject([{ state: 'fail', next: hand }]);
  }, 60_000);

  it('is rewritten by --point', async () => {
    put(cursor, { mcpServers: { tidegate: gone } });
    expect(await whys()).toEqual([expect.stringMatching(/does not exist.*; --point replaces it$/)]);
    expect(await whys('--point')).toEqual([expect.stringMatching(/; a working entry replaces it$/)]);
    expect(await rows()).toMatchObject([{ next: 'tidegate import cursor --point' }]);
  });

  it('counts as a normal Tidegate entry if it is disabled', async () => {
    put(cursor, { mcpServers: { tidegate: { ...words, disabled: true } } });
    expect(await whys('--point')).toEqual(['already starts Tidegate']);
  });
});

describe('several entries in one file', () => {
  it('are identified by project folder or name', async () => {
    const file = join(typed.home, '.claude.json');
    const projects = { [typed.folder]: { mcpServers: { tidegate: gone, second: gone } } };
    put(file, { mcpServers: { tidegate: gone }, projects });
    expect((await rows()).map(({ about }) => about)).toEqual([
      `Claude Code, ${file}`,
      `Claude Code, ${file}, for ${typed.folder}, tidegate`,
      `Claude Code, ${file}, for ${typed.folder}, second`,
    ]);
  });
});
