import { mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answered,
  canary,
  type FilePlace,
  type FileTool,
  fileTools,
  openFilePlace,
  snapshot,
} from '../support/file-place.js';
import { type LinkLayout, linkLayouts } from '../support/link-layouts.js';

let place: FilePlace;
let before: string;
let laid = 0;

beforeAll(async () => {
  place = await openFilePlace();
  mkdirSync(`${place.root}-sibling`);
  writeFileSync(`${place.root}-sibling/secret`, canary);
  before = outsideNow();
});
afterAll(() => place.close());

function outsideNow(): string {
  return snapshot(place.outside) + snapshot(`${place.root}-sibling`);
}

function layOut(layout: LinkLayout): string {
  laid += 1;
  const path = `layout${laid}`;
  const folder = join(place.root, path);
  mkdirSync(folder);
  return layout.lay({ folder, path, root: place.root, outside: place.outside });
}

async function attempt(tool: FileTool, file_path: string): Promise<Answered> {
  if (tool === 'Read') return place.call('Read', { file_path });
  if (tool === 'Edit') {
    const edited = await place.call('Edit', { file_path, old_string: 'inside', new_string: 'changed' });
    const isMissing = 'code' in edited && edited.code === 'not_found';
    return isMissing ? place.call('Edit', { file_path, old_string: '', new_string: 'changed' }) : edited;
  }
  await place.call('Read', { file_path });
  return place.call('Write', { file_path, content: 'changed' });
}

describe.each(linkLayouts)('a link $name', (layout) => {
  it.each(fileTools)('does not let %s escape', async (tool) => {
    const path = layOut(layout);
    const answer = await attempt(tool, path);
    expect(outsideNow()).toBe(before);
    if (layout.leads === 'outside')
      expect(answer).toMatchObject({ code: 'refused', reason: 'outside_workspace' });
    if (layout.leads === 'nowhere') expect('code' in answer && answer.code).toMatch(/bad_state|not_found/);
    if (layout.leads === 'inside' && tool === 'Write') {
      expect(answer).toHaveProperty('text');
      expect(readFileSync(join(place.root, path), 'utf8')).toBe('changed');
    }
  });
});

it('there are at least forty layouts', () => {
  expect(linkLayouts.length).toBeGreaterThanOrEqual(40);
});

it('control: a check of the path text alone misses most of them', async () => {
  const outwards = linkLayouts.filter(({ leads }) => leads === 'outside');
  const escaped = outwards.filter((layout) => {
    const path = resolve(place.root, layOut(layout));
    expect(path.startsWith(`${place.root}/`)).toBe(true);
    try {
      return !realpathSync.native(path).startsWith(`${place.root}/`);
    } catch {
      // It leads to nothing that exists: then a write would have made it there.
      return false;
    }
  });
  console.log(`control: ${escaped.length} of ${outwards.length} layouts lead out`);
  expect(escaped.length).toBeGreaterThan(outwards.length / 2);
});

it('control: this suite detects a careless write', () => {
  symlinkSync(place.outside, join(place.root, 'careless'));
  writeFileSync(join(place.root, 'careless', 'secret'), 'changed');
  expect(outsideNow()).not.toBe(before);
});
