import { readFileSync } from 'node:fs';
import { isAbsolute, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { count } from '../support/counts.js';
import {
  canary,
  type FilePlace,
  fileTools,
  hasEscaped,
  openFilePlace,
  snapshot,
} from '../support/file-place.js';
import { createRandom } from '../support/random.js';
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

/** Two spellings that a caller could send for each. */
function asGiven(list: readonly string[], place: FilePlace): readonly string[] {
  const siblings = [
    `${place.root}-sibling/x`,
    `${place.root}/../outside/secret`,
    place.outside,
    '../outside/secret',
  ];
  return [...siblings, ...list, ...share(list.map((line) => join(place.root, 'folder').concat('/', line)))];
}

const sets = [
  { name: 'made here', list: makeTraversals(), reason: '' },
  { name: 'of the payload lists', list: traversals.found, reason: traversals.reason },
  { name: 'naughty strings', list: naughty.found, reason: naughty.reason },
];

describe.each(sets)('paths $name', ({ name, list, reason }) => {
  let place: FilePlace;
  let before: string;

  beforeAll(async () => {
    place = await openFilePlace();
    before = snapshot(place.outside);
  });
  afterAll(() => place.close());

  it.skipIf(list === undefined).each(fileTools)(
    `never let %s leave the workspace ${reason}`,
    async (tool) => {
      const paths = asGiven(share(list ?? []), place);
      let escapes = 0;
      let refused = 0;
      for (const path of paths) {
        const more = { Read: {}, Write: { content: 'x' }, Edit: { old_string: '', new_string: 'x' } }[tool];
        const answer = await place.call(tool, { file_path: path, ...more });
        if (hasEscaped(answer, place.root)) escapes += 1;
        if ('code' in answer && answer.reason === 'outside_workspace') refused += 1;
      }
      const now = snapshot(place.outside);
      console.log(
        `${tool}, ${name}: n=${paths.length}, escapes ${escapes}, refused as outside ${refused}, seed ${random.seed}`,
      );
      expect(escapes).toBe(0);
      expect(now).toBe(before);
      expect(refused).toBeGreaterThan(0);
    },
  );
});

it('control: a reader that only joins paths leaves it', async () => {
  const place = await openFilePlace();
  let escapes = 0;
  for (const path of makeTraversals()) {
    try {
      const text = readFileSync(isAbsolute(path) ? path : join(place.root, path), 'utf8');
      if (text.includes(canary) || text.startsWith('root:')) escapes += 1;
    } catch {
      // Nothing is there.
    }
  }
  await place.close();
  expect(escapes).toBeGreaterThan(0);
});
