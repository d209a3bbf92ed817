import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clients } from '../../clients/index.js';
import { gather } from './gather.js';
import { projectFolders } from '../project-folders.js';
import { type Owners, systemOwners } from './whose-file.js';

const [me, mallory, host] = [1000, 1001, 1002];
let above: string;
let work: string;
beforeAll(() => {
  above = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-owners-')));
  work = join(above, 'x');
  mkdirSync(join(above, '.git'));
  mkdirSync(work);
  for (const folder of [above, work])
    writeFileSync(join(folder, '.mcp.json'), '{"mcpServers":{"one":{"command":"one"}}}');
});
afterAll(() => rmSync(above, { recursive: true, force: true }));

function gathered(owners: Readonly<Record<string, number>>, self: number | undefined = me) {
  const place = {
    platform: process.platform,
    home: '/nobody',
    folders: projectFolders(work, '/nobody'),
    env: {},
  };
  const known: Owners = { self: () => self, of: (path) => (existsSync(path) ? [owners[path] ?? me] : []) };
  const { sources, problems } = gather(clients, place, { owners: known });
  return {
    read: sources.filter(({ servers }) => servers.length > 0).map(({ file }) => file.path),
    told: problems.map(({ code, message }) => `${code} ${message}`),
  };
}

describe('a file of a project', () => {
  const files = (): readonly string[] => [join(work, '.mcp.json'), join(above, '.mcp.json')];

  it('is skipped and reported if it belongs to another user', () => {
    const [own, foreign = ''] = files();
    expect(gathered({ [foreign]: mallory })).toEqual({
      read: [own],
      told: [`import.foreign_file ${foreign} belongs to another user.`],
    });
    // The control: the same file is read if it is ours.
    expect(gathered({})).toEqual({ read: files(), told: [] });
  });

  it('is skipped in the working folder as well', () => {
    const [own = ''] = files();
    expect(gathered({ [own]: mallory }).told).toHaveLength(1);
  });

  it('is read if it belongs to root or to the owner of the working folder', () => {
    const [own = '', other = ''] = files();
    expect(gathered({ [other]: 0 }).told).toEqual([]);
    expect(gathered({ [work]: host, [own]: host, [other]: host }, 0).told).toEqual([]);
    expect(gathered({ [work]: host, [own]: host, [other]: mallory }, 0).told).toHaveLength(1);
  });

  it('is read if the system has no file owners', () => {
    const owners: Owners = { self: () => undefined, of: () => [mallory] };
    const place = { platform: process.platform, home: '/nobody', folders: [work], env: {} };
    expect(gather(clients, place, { owners }).problems).toEqual([]);
  });
});

it('systemOwners returns the owner of a file, and nothing for a missing file', () => {
  expect(new Set(systemOwners.of(work))).toEqual(new Set([systemOwners.self()]));
  expect(systemOwners.of(join(work, 'none'))).toEqual([]);
});
