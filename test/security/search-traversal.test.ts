import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { rgPath } from '@vscode/ripgrep';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { count } from '../support/counts.js';
import { createRandom } from '../support/random.js';
import {
  openSearchPlace,
  type SearchAnswer,
  type SearchPlace,
  type SearchTool,
  searchCanary,
  tellsOfOutside,
} from '../support/search-place.js';
import { readNaughtyStrings } from '../support/test-data.js';
import { makeTraversals, readTraversals } from '../support/traversals.js';

const random = createRandom();
const traversals = readTraversals();
const naughty = readNaughtyStrings();

/** A tenth of a list, chosen by chance, or all of it for full counts. */
function share(list: readonly string[]): readonly string[] {
  const wanted = count(list.length);
  return wanted === list.length ? list : Array.from({ length: wanted }, () => random.pick(list));
}

const sets = [
  { name: 'made here', list: makeTraversals(), reason: '' },
  { name: 'of the payload lists', list: traversals.found, reason: traversals.reason },
  { name: 'of the naughty strings', list: naughty.found, reason: naughty.reason },
];

/** Every argument that can name a place, in each tool. */
const doors: readonly (readonly [tool: SearchTool, field: string, input: (text: string) => object])[] = [
  ['Glob', 'path', (path) => ({ pattern: '**/*', path, include_ignored: true })],
  ['Glob', 'pattern', (pattern) => ({ pattern, include_ignored: true })],
  ['Glob', 'pattern with a star after it', (text) => ({ pattern: `${text}/**`, include_ignored: true })],
  ['Grep', 'path', (path) => ({ pattern: `${searchCanary}|^root:`, path, output_mode: 'content' })],
  ['Grep', 'glob', (glob) => ({ pattern: `${searchCanary}|^root:`, glob, output_mode: 'content' })],
];

/** It told of a path that is not below the root, or what only stands outside. */
function hasEscaped(answer: SearchAnswer): boolean {
  if (!('text' in answer)) return false;
  const { files = [], matches = [] } = answer.data as {
    readonly files?: readonly string[];
    readonly matches?: readonly { readonly file: string }[];
  };
  const paths = [...files, ...matches.map(({ file }) => file)];
  const isOut = (path: string) => path.startsWith('/') || path.split('/').includes('..');
  return paths.some(isOut) || tellsOfOutside(answer) || /root:[^:]*:0:0:/.test(answer.text);
}

describe.each(sets)('paths $name', ({ name, list, reason }) => {
  let place: SearchPlace;
  beforeAll(async () => {
    place = await openSearchPlace();
    place.write({ 'folder/file': 'inside\n', 'folder/deep/er/file': 'inside\n', 'etc/passwd': 'inside\n' });
  });
  afterAll(() => place.close());

  it.skipIf(list === undefined).each(doors)(
    `never let %s leave the workspace through its %s ${reason}`,
    async (tool, field, input) => {
      const siblings = [
        `${place.root}-sibling/x`,
        `${place.root}/../outside`,
        place.outside,
        '../outside/folder',
      ];
      const texts = [...siblings, ...share(list ?? [])].filter((text) => text !== '');
      const seen = { escapes: 0, refused: 0, missing: 0, answered: 0 };
      for (const text of texts) {
        const answer = await place.call(tool, { ...input(text) });
        if (hasEscaped(answer)) seen.escapes += 1;
        if ('text' in answer) seen.answered += 1;
        else if (answer.reason === 'outside_workspace') seen.refused += 1;
        else seen.missing += 1;
      }
      console.log(
        `${tool} ${field}, ${name}: n=${texts.length} ${JSON.stringify(seen)}, seed ${random.seed}`,
      );
      expect(seen.escapes).toBe(0);
      expect(seen.refused).toBeGreaterThan(0);
    },
  );
});

it('existing and missing paths outside are refused with the same message', async () => {
  const place = await openSearchPlace();
  for (const tool of ['Glob', 'Grep'] as const) {
    const words = async (path: string) => {
      const answer = await place.call(tool, { pattern: 'x', path });
      return 'message' in answer ? { ...answer, message: answer.message.replace(path, 'PATH') } : answer;
    };
    expect(await words('../outside/nothing-here')).toEqual(await words('../outside/secret'));
    expect(await words('/root/.ssh/nothing')).toEqual(await words('/etc/passwd'));
  }
  await place.close();
});

it('control: plain ripgrep with the same paths finds files outside', async () => {
  const place = await openSearchPlace();
  const found = execFileSync(rgPath, ['--no-config', '-l', '-e', searchCanary, '--', join('..', 'outside')], {
    cwd: place.root,
    encoding: 'utf8',
  });
  expect(found).toContain(searchCanary);
  await place.close();
});
