import { chmodSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { count } from '../support/counts.js';
import { type FilePlace, openFilePlace } from '../support/file-place.js';
import { createRandom } from '../support/random.js';

const random = createRandom();
const edits = count(10_000);

let place: FilePlace;

beforeAll(async () => {
  place = await openFilePlace();
});
afterAll(() => place.close());

const encodings = ['utf-8', 'utf-8 with mark', 'utf-16le', 'utf-16be', 'latin1'] as const;
const styles = ['lf', 'crlf', 'cr', 'mixed'] as const;
const endings = { lf: ['\n'], crlf: ['\r\n'], cr: ['\r'], mixed: ['\n', '\r\n'] } as const;
const modes = [0o644, 0o600, 0o755, 0o664, 0o640, 0o4755, 0o777];

type Coding = (typeof encodings)[number];

function encoded(text: string, coding: Coding): Buffer {
  if (coding === 'latin1') return Buffer.from(text, 'latin1');
  if (coding === 'utf-8') return Buffer.from(text);
  if (coding === 'utf-8 with mark') return Buffer.from(`\ufeff${text}`);
  const wide = Buffer.from(`\ufeff${text}`, 'utf16le');
  return coding === 'utf-16le' ? wide : wide.swap16();
}

interface Case {
  readonly coding: Coding;
  readonly mode: number;
  readonly before: string;
  readonly after: string;
  readonly oldString: string;
  readonly newString: string;
  readonly what: string;
}

const words = [
  'alpha',
  'beta',
  '  indented',
  '',
  '$1 $& $$',
  'a.b*c',
  '\tTab',
  'é',
  '«quoted»',
  'x'.repeat(80),
];
const wideWords = ['€', '日本語', '😀', 'ﬁ'];

/** A text of lines, one place in it that is to change, and what the file must be afterwards, byte for byte. */
function makeCase(): Case {
  const coding = random.pick(encodings);
  const style = random.pick(styles);
  const line = (): string => random.pick(coding === 'latin1' ? words : [...words, ...wideWords]);
  const ending = (): string => random.pick(endings[style]);
  const lines = (most: number): string =>
    Array.from({ length: random.below(most) }, () => line() + ending()).join('');
  // Latin-1 is only what is not UTF-8: without this byte it would be both.
  const first = coding === 'latin1' ? `éÿ${ending()}` : '';
  const lead = first + lines(30) + line();
  const trail = `${line()}${ending()}${lines(30)}${random.chance(0.5) ? '' : line()}`;
  const spans = random.chance(0.5);
  const inner = ending();
  const [oldString, newString] = spans
    ? ['<<one\ntwo>>', '<<1\n2>>']
    : ['<<token>>', random.pick(['<<T>>', '', '<<$&>>', '<<é>>'])];
  const inFile = (text: string): string => text.replace('\n', inner);
  return {
    coding,
    mode: random.pick(modes),
    before: lead + inFile(oldString) + trail,
    after: lead + inFile(newString) + trail,
    oldString,
    newString,
    what: `${coding} ${style} ${spans ? 'two lines' : 'one line'}`,
  };
}

it('an edit changes only the match, in every kind of text', async () => {
  const path = join(place.root, 'text.txt');
  const wrong: string[] = [];
  for (let round = 0; round < edits; round += 1) {
    const { coding, mode, before, after, oldString, newString, what } = makeCase();
    writeFileSync(path, encoded(before, coding));
    chmodSync(path, mode);
    const file_path = 'text.txt';
    await place.call('Read', { file_path, limit: 1 });
    const answer = await place.call('Edit', { file_path, old_string: oldString, new_string: newString });
    const isRight =
      'text' in answer &&
      readFileSync(path).equals(encoded(after, coding)) &&
      (statSync(path).mode & 0o7777) === mode;
    if (!isRight) wrong.push(`${what}: ${JSON.stringify(answer)}`);
  }
  console.log(`edits: n=${edits}, wrong ${wrong.length}, seed ${random.seed}`);
  expect(wrong.slice(0, 5)).toEqual([]);
});

it('control: an editor that reads UTF-8 and replaces text gets many of them wrong', () => {
  const rounds = 500;
  let wrong = 0;
  for (let round = 0; round < rounds; round += 1) {
    const { coding, before, after, oldString, newString } = makeCase();
    const edited = encoded(before, coding).toString('utf8').replace(oldString, newString);
    if (!Buffer.from(edited).equals(encoded(after, coding))) wrong += 1;
  }
  console.log(`control: n=${rounds}, wrong ${wrong}`);
  expect(wrong).toBeGreaterThan(rounds / 4);
});
