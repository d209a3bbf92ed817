import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mcpJson } from '../clients/mcp-json.js';
import { projectFolders } from './project-folders.js';

let root: string;
let home: string;
beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-folders-')));
  home = join(root, 'home');
  mkdirSync(join(home, '.git'), { recursive: true });
  mkdirSync(join(home, 'plain', 'deep'), { recursive: true });
  mkdirSync(join(home, 'repo', '.git'), { recursive: true });
  mkdirSync(join(home, 'repo', 'deep'));
  symlinkSync(home, join(root, 'linked'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

it('a home under git is not the project of the folders below it', () => {
  expect(projectFolders(join(home, 'plain', 'deep'), home)).toEqual([join(home, 'plain', 'deep')]);
  expect(projectFolders(join(home, 'plain', 'deep'), join(root, 'linked'))).toHaveLength(1);
});

it('another folder under git is a project, even below a home', () => {
  expect(projectFolders(join(home, 'repo', 'deep'), home)).toEqual([
    join(home, 'repo', 'deep'),
    join(home, 'repo'),
  ]);
  // The control: with another home, the same folder is the root of a project.
  expect(projectFolders(join(home, 'plain', 'deep'), '/elsewhere').at(-1)).toBe(home);
});

it('files in a home are the user’s, even if it was entered through a link', () => {
  for (const spelled of [home, join(root, 'linked')]) {
    const place = { platform: process.platform, home: spelled, env: {} };
    const [file] = mcpJson.files({ ...place, folders: projectFolders(home, spelled) });
    expect(file).toMatchObject({ path: join(spelled, '.mcp.json'), scope: 'user' });
  }
});
