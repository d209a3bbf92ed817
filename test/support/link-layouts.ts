/** Layouts of links, forty and more, each with the path that somebody would try. */
import { linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface LinkLayout {
  readonly name: string;
  /** `inside`: it stays inside and works. `outside`: it leads out, at once or in the end. `nowhere`: it has no end. */
  readonly leads: 'inside' | 'outside' | 'nowhere';
  /** Lays it out in an empty folder of the workspace and gives the path to try, relative to the workspace. */
  lay(here: Here): string;
}

export interface Here {
  /** The folder for this layout, real path and path relative to the root. */
  readonly folder: string;
  readonly path: string;
  readonly root: string;
  readonly outside: string;
}

/** The way up from the folder of a layout to where `outside` is. */
const up = '../..';

const link = (here: Here, target: string, name: string): void => symlinkSync(target, join(here.folder, name));
const folder = (here: Here, name: string): string =>
  mkdirSync(join(here.folder, name), { recursive: true }) ?? '';
const file = (here: Here, name: string): void => writeFileSync(join(here.folder, name), 'inside');

/** One link, or several, and the path through them. */
function plain(name: string, leads: LinkLayout['leads'], links: Links, path: string): LinkLayout {
  return {
    name,
    leads,
    lay(here) {
      file(here, 'file');
      folder(here, 'real/deep');
      file(here, 'real/file');
      for (const [from, to] of Object.entries(links(here))) link(here, to, from);
      return `${here.path}/${path}`;
    },
  };
}

type Links = (here: Here) => Readonly<Record<string, string>>;

export const linkLayouts: readonly LinkLayout[] = [
  plain('to a file outside, absolute', 'outside', ({ outside }) => ({ l: `${outside}/secret` }), 'l'),
  plain('to a file outside, relative', 'outside', () => ({ l: `${up}/outside/secret` }), 'l'),
  plain('to a folder outside, absolute', 'outside', ({ outside }) => ({ l: outside }), 'l/secret'),
  plain('to a folder outside, relative', 'outside', () => ({ l: `${up}/outside` }), 'l/folder/secret'),
  plain('to a new file in a folder outside', 'outside', ({ outside }) => ({ l: outside }), 'l/new'),
  plain('to new folders in a folder outside', 'outside', ({ outside }) => ({ l: outside }), 'l/a/b/new'),
  plain('dangling, absolute, outside', 'outside', ({ outside }) => ({ l: `${outside}/nothing` }), 'l'),
  plain('dangling, relative, outside', 'outside', () => ({ l: `${up}/outside/nothing` }), 'l'),
  plain(
    'dangling, in a missing folder outside',
    'outside',
    ({ outside }) => ({ l: `${outside}/no/thing` }),
    'l',
  ),
  plain(
    'a chain of two that ends outside',
    'outside',
    ({ outside }) => ({ a: 'b', b: `${outside}/secret` }),
    'a',
  ),
  plain(
    'a chain of five that ends outside',
    'outside',
    ({ outside }) => ({ a: 'b', b: './c', c: 'd', d: 'e', e: `${outside}/secret` }),
    'a',
  ),
  plain(
    'a chain through folders that ends outside',
    'outside',
    ({ outside }) => ({ a: 'real/x', 'real/x': '../b', b: outside }),
    'a/secret',
  ),
  plain('to the root of the system', 'outside', () => ({ l: '/' }), 'l/etc/passwd'),
  plain('far above the root of the system', 'outside', () => ({ l: '../'.repeat(40) }), 'l/etc/passwd'),
  plain('to the parent of the workspace', 'outside', () => ({ l: up }), 'l/outside/secret'),
  plain(
    'to the parent, and in the path down again',
    'outside',
    () => ({ l: up }),
    'l/outside/folder/../secret',
  ),
  plain(
    'dots after a folder link that leads out',
    'outside',
    ({ outside }) => ({ l: `${outside}/folder`, m: 'l/../secret' }),
    'm',
  ),
  plain(
    'dots after a link that stays inside',
    'outside',
    () => ({ l: 'real/deep', m: `l/../../../../outside/secret` }),
    'm',
  ),
  plain('with a slash at its end', 'outside', ({ outside }) => ({ l: `${outside}/` }), 'l/secret'),
  plain(
    'with doubled slashes',
    'outside',
    ({ outside }) => ({ l: outside.replaceAll('/', '//') }),
    'l//secret',
  ),
  plain('with single dots', 'outside', ({ outside }) => ({ l: `${outside}/./.` }), 'l/./secret'),
  plain(
    'the root of the workspace, then up',
    'outside',
    ({ root }) => ({ l: `${root}/../outside/secret` }),
    'l',
  ),
  plain('a sibling whose name begins alike', 'outside', ({ root }) => ({ l: `${root}-sibling` }), 'l/secret'),
  plain(
    'the workspace in other words, then out',
    'outside',
    ({ root }) => ({ l: `${root}/.././workspace/../outside` }),
    'l/secret',
  ),
  plain('the magic link of the root', 'outside', () => ({ l: '/proc/self/root' }), 'l/etc/passwd'),
  plain('the magic link of the working folder', 'outside', () => ({ l: '/proc/self/cwd' }), 'l/package.json'),
  plain('a magic link of an open file', 'outside', () => ({ l: '/proc/self/fd/0' }), 'l'),
  plain('our own memory', 'outside', () => ({ l: '/proc/self/environ' }), 'l'),
  plain('a device', 'outside', () => ({ l: '/dev/zero' }), 'l'),
  plain('a device folder', 'outside', () => ({ l: '/dev' }), 'l/zero'),
  plain('the state of the gate', 'outside', ({ root }) => ({ l: `${root}/../../../state` }), 'l/new'),
  plain(
    'through a link in the workspace to a link outside',
    'outside',
    ({ outside }) => ({ l: `${outside}/folder`, m: 'l/file' }),
    'm',
  ),
  plain('a file of ours as a folder', 'nowhere', () => ({ l: 'file' }), 'l/secret'),
  plain('to itself', 'nowhere', () => ({ l: 'l' }), 'l'),
  plain('two that lead to each other', 'nowhere', () => ({ a: 'b', b: 'a' }), 'a/secret'),
  plain('that grows with each round', 'nowhere', () => ({ l: 'l/l' }), 'l/secret'),
  plain('to its own folder, many times', 'inside', () => ({ l: '.' }), `${'l/'.repeat(30)}file`),
  plain('to a file inside, relative', 'inside', () => ({ l: 'real/file' }), 'l'),
  plain('to a file inside, absolute', 'inside', ({ folder: at }) => ({ l: `${at}/real/file` }), 'l'),
  plain('to a folder inside', 'inside', () => ({ l: 'real' }), 'l/file'),
  plain(
    'up and down inside',
    'inside',
    ({ path }) => ({ 'real/l': `../../${path}/real/deep/../file` }),
    'real/l',
  ),
  plain('dangling inside', 'inside', () => ({ l: 'real/deep/new' }), 'l'),
  plain('out and in again', 'inside', ({ root, path }) => ({ l: `${root}/../workspace/${path}/file` }), 'l'),
  {
    name: 'a hard link to a file outside',
    leads: 'inside',
    lay(here) {
      linkSync(join(here.outside, 'folder', 'file'), join(here.folder, 'hard'));
      return `${here.path}/hard`;
    },
  },
];
