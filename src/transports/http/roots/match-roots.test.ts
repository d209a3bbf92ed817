import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { matchRoots, pathsOf } from './match-roots.js';

let base: string;
let api: string;
let web: string;
let inner: string;

beforeAll(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-roots-')));
  api = join(base, 'api');
  web = join(base, 'wéb project');
  inner = join(api, 'packages', 'inner');
  for (const folder of [inner, join(web, 'src'), join(base, 'api-more')])
    mkdirSync(folder, { recursive: true });
  symlinkSync(web, join(base, 'link'));
  symlinkSync(web, join(api, 'out'));
});
afterAll(() => rmSync(base, { recursive: true, force: true }));

const uri = (path: string): string => pathToFileURL(path).href;
const listed = (...uris: readonly unknown[]) => ({ roots: uris.map((each) => ({ uri: each })) });
const match = (...paths: readonly string[]) =>
  matchRoots(pathsOf(listed(...paths.map(uri))) ?? [], [api, web, inner]);

describe('roots and folders', () => {
  it('a root that is a folder, or inside it, means that folder', async () => {
    expect(await match(api)).toEqual({ folder: api });
    expect(await match(join(web, 'src'))).toEqual({ folder: web });
    expect(await match(`${web}/`)).toEqual({ folder: web });
  });

  it('the deepest folder around a root counts', async () => {
    expect(await match(join(inner, 'src'))).toEqual({ folder: inner });
    expect(await match(join(api, 'packages'))).toEqual({ folder: api });
  });

  it('links are resolved, into a folder and out of it', async () => {
    expect(await match(join(base, 'link', 'src'))).toEqual({ folder: web });
    expect(await match(join(api, 'out'))).toEqual({ folder: web });
  });

  it('a root that does not exist is compared as text', async () => {
    expect(await match(join(api, 'new', 'folder'))).toEqual({ folder: api });
  });

  it('roots elsewhere, above a folder or with a similar name mean none', async () => {
    expect(await match(base, join(base, 'api-more'), '/')).toBe('none');
    expect(await match()).toBe('none');
  });

  it('roots in one folder and elsewhere mean that folder; in two folders they mean several', async () => {
    expect(await match(tmpdir(), web, join(web, 'src'))).toEqual({ folder: web });
    expect(await match(api, web)).toBe('several');
    expect(await match(api, inner)).toBe('several');
  });
});

describe('what a client lists', () => {
  it.each([
    ['another scheme', 'https://example.com/srv/api'],
    ['a host', 'file://elsewhere/srv/api'],
    ['no URI', '/srv/api'],
    ['an encoded slash', 'file:///srv%2Fapi'],
    ['a null character', 'file:///srv/%00'],
    ['a number', 7],
    ['nothing', undefined],
  ])('ignores a root with %s', (_, value) => {
    expect(pathsOf(listed(value, 'file:///srv/web'))).toEqual(['/srv/web']);
  });

  it('decodes the path', () => {
    expect(pathsOf(listed('file:///srv/w%C3%A9b%20project', 'file://localhost/srv'))).toEqual([
      '/srv/wéb project',
      '/srv',
    ]);
  });

  it.each([[undefined], [null], [[]], [{}], [{ roots: {} }], [{ roots: Array(257).fill({}) }]])(
    'has no answer in %j',
    (result) => {
      expect(pathsOf(result)).toBeUndefined();
    },
  );
});
