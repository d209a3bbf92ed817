import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type LinkLayout, linkLayouts } from '../support/link-layouts.js';
import { openSearchPlace, type SearchPlace, searchCanary, tellsOfOutside } from '../support/search-place.js';

let place: SearchPlace;
let laid = 0;

beforeAll(async () => {
  place = await openSearchPlace();
  mkdirSync(`${place.root}-sibling`);
  writeFileSync(`${place.root}-sibling/secret`, searchCanary);
});
afterAll(() => place.close());

function layOut(layout: LinkLayout): { readonly folder: string; readonly path: string } {
  laid += 1;
  const name = `layout${laid}`;
  const folder = join(place.root, name);
  mkdirSync(folder);
  return { folder: name, path: layout.lay({ folder, path: name, root: place.root, outside: place.outside }) };
}

/** A hard link is a file of the folder it stands in; who can make one could also copy the file. */
const isHard = ({ name }: LinkLayout) => name.startsWith('a hard link');
const pattern = `${searchCanary}|inside`;

describe.each(linkLayouts)('a link $name', (layout) => {
  it('does not let Grep escape, as its path or along the way', async () => {
    const { folder, path } = layOut(layout);
    for (const output_mode of ['content', 'files_with_matches', 'count']) {
      const named = await place.call('Grep', { pattern, path, output_mode });
      const around = await place.call('Grep', { pattern, path: folder, output_mode, include_ignored: true });
      if (!isHard(layout)) expect(tellsOfOutside(named) || tellsOfOutside(around)).toBe(false);
      if (layout.leads === 'outside') expect(named).toMatchObject({ reason: 'outside_workspace' });
      if (layout.leads === 'nowhere') expect(named).toMatchObject({ code: 'not_found' });
      expect(around).toHaveProperty('text');
    }
  });

  it('does not let Glob escape, as its path, in its pattern or along the way', async () => {
    const { folder, path } = layOut(layout);
    const answers = [
      await place.call('Glob', { pattern: '**', path }),
      await place.call('Glob', { pattern: '**', path: dirname(path) }),
      await place.call('Glob', { pattern: path }),
      await place.call('Glob', { pattern: `${path}/**` }),
      await place.call('Glob', { pattern: `${folder}/**` }),
      await place.call('Glob', { pattern: `${folder}/*/*` }),
    ];
    expect(answers.filter(tellsOfOutside)).toEqual([]);
    if (layout.leads === 'outside') expect(answers[0]).toMatchObject({ reason: 'outside_workspace' });
    for (const answer of answers) {
      if ('data' in answer)
        for (const file of answer.data['files'] as string[]) expect(file).toMatch(/^layout\d/);
    }
  });
});

it('there are at least forty layouts', () => {
  expect(linkLayouts.length).toBeGreaterThanOrEqual(40);
});

it('control: plain ripgrep escapes through many of the same paths', () => {
  const outwards = linkLayouts.filter(
    ({ leads, name }) => leads === 'outside' && !/device|root of the/.test(name),
  );
  const escaped = outwards.filter((layout) => {
    const { path } = layOut(layout);
    try {
      return execFileSync(rgPath, ['--no-config', '-c', '-e', searchCanary, '--', path], {
        cwd: place.root,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
        timeout: 5000,
      });
    } catch {
      // It leads to nothing that exists.
      return false;
    }
  });
  console.log(`control: ${escaped.length} of ${outwards.length} layouts lead ripgrep out`);
  expect(escaped.length).toBeGreaterThan(8);
});
