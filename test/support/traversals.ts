import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Corpus } from './test-data.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const testData = resolve(process.env['TIDEGATE_TESTDATA'] ?? join(root, '..', 'shared', 'data'));

const lists = [
  'dotdotpwn.txt',
  'Traversal.txt',
  'deep_traversal.txt',
  'traversals-8-deep-exotic-encoding.txt',
  'JHADDIX_LFI.txt',
  'directory_traversal.txt',
];

/** Strings that lead out of a folder where somebody decodes or joins them carelessly, with and without their CRs. */
export function readTraversals(): Corpus<readonly string[]> {
  const files = lists.map((name) => join(testData, 'payloads', name));
  if (!files.every((file) => existsSync(file)))
    return { found: undefined, reason: `no traversal strings in ${testData}` };
  // Bytes that are no UTF-8 come as the characters that a caller could send for them.
  const lines = files.flatMap((file) => readFileSync(file, 'utf8').split('\n'));
  const all = lines.flatMap((line) => (line.endsWith('\r') ? [line, line.slice(0, -1)] : [line]));
  return { found: [...new Set(all.filter((line) => line !== ''))], reason: '' };
}

const ups = [
  '..',
  '..%2f',
  '%2e%2e',
  '..%c0%af',
  '....',
  '.%00.',
  '..;',
  '..\\',
  '%252e%252e',
  '．．',
  '..\u2215',
  '..\u0000',
];
const targets = [
  'etc/passwd',
  'outside/secret',
  'secret',
  'windows/win.ini',
  'proc/self/environ',
  'etc/shadow',
];
const begins = [
  '',
  '/',
  './',
  'a/',
  'file://',
  'C:\\',
  '//',
  '/./',
  '~/',
  '\\\\?\\',
  '/proc/self/root/',
  '/proc/self/cwd/',
];
const joins = ['/', '//', '/./', '\\', '%2f'];

/** Made here, for machines without the lists: every beginning, way up, depth and target with each other. */
export function makeTraversals(): readonly string[] {
  const made = begins.flatMap((begin) =>
    ups.flatMap((up) =>
      joins.flatMap((joined) =>
        [1, 2, 3, 5, 8].flatMap((depth) =>
          targets.map((target) => begin + `${up}${joined}`.repeat(depth) + target),
        ),
      ),
    ),
  );
  return [...new Set(made)];
}
