import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isProtected, protectedPaths } from '../../src/services/files/index.js';
import { type FilePlace, openFilePlace } from '../support/file-place.js';

let place: FilePlace;
const content = 'set by a person';

/** Each as a file at the top, and as a folder with a file in it further down. */
const places = [...protectedPaths, ...protectedPaths.map((path) => `packages/app/${path}/file`)];

beforeAll(async () => {
  place = await openFilePlace();
  for (const path of places) {
    const file = join(place.root, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content);
  }
});
afterAll(() => place.close());

/** The same file by other names. */
function spellings(path: string): readonly string[] {
  const number = places.indexOf(path);
  const [link, folder] = [`link${number}`, `folder${number}`];
  symlinkSync(path, join(place.root, link));
  symlinkSync(dirname(path), join(place.root, folder));
  return [path, `./${path}`, join(place.root, path), `x/../${path}`, link, `${folder}/${basename(path)}`];
}

describe.each(places)('%s', (path) => {
  it('is never written, under any name, but can be read', async () => {
    expect(isProtected(place.root, join(place.root, path))).toBe(true);
    expect(await place.call('Read', { file_path: path })).toHaveProperty('text');
    const refused = { code: 'refused', reason: 'protected_path' };
    for (const file_path of spellings(path)) {
      const edit = { file_path, old_string: content, new_string: 'x' };
      expect(await place.call('Write', { file_path, content: 'x' })).toMatchObject(refused);
      expect(await place.call('Edit', edit)).toMatchObject(refused);
    }
    // On a system that does not tell letter case apart it would be the same file.
    const other = path.replace(/[a-z]+/, (letters) => letters.toUpperCase());
    if (other.split('/')[0] !== 'PACKAGES') {
      expect(await place.call('Write', { file_path: other, content: 'x' })).toMatchObject(refused);
    }
    expect(readFileSync(join(place.root, path), 'utf8')).toBe(content);
  });
});

it('a hard link to a protected file is replaced by a separate file', async () => {
  linkSync(join(place.root, '.git/config'), join(place.root, 'innocent'));
  await place.call('Edit', { file_path: 'innocent', old_string: content, new_string: 'x' });
  expect(readFileSync(join(place.root, '.git/config'), 'utf8')).toBe(content);
});

it('control: without the table they would be ordinary files', async () => {
  expect(await place.call('Write', { file_path: 'tidegate.yaml.txt', content: 'x' })).toHaveProperty('text');
  expect(
    await place.call('Write', { file_path: 'packages/claude/settings.json', content: 'x' }),
  ).toHaveProperty('text');
});
