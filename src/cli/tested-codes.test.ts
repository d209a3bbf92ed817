import { readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { faultTable } from '../core/index.js';
import { everyCode } from './commands/access/explained-code.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

it('has a test or a fixture for every code in use', async () => {
  const codes = (await everyCode()).map(({ code }) => code).filter((code) => !isReserved(code));
  const texts = testTexts();
  expect(unnamed(codes, texts)).toEqual([]);
  // The control: an invented code, assembled here so that no file contains it.
  const invented = ['file', 'nobody_thought_of'].join('.');
  expect(unnamed([...codes, invented], texts)).toEqual([invented]);
  // And one that is a prefix of another code.
  const beginning = ['tool', 'not'].join('.');
  expect(unnamed([beginning], texts)).toEqual([beginning]);
});

/** Not in use yet. A pin keeps the mark and the sources in agreement. */
function isReserved(code: string): boolean {
  return Object.entries(faultTable).some(([known, row]) => known === code && 'isReserved' in row);
}

/** Codes that none of the texts contains as a whole word. */
function unnamed(codes: readonly string[], texts: readonly string[]): readonly string[] {
  const named = new Set(texts.flatMap((text) => text.match(/[A-Za-z]\w*(?:\.\w+)+|'internal'/g) ?? []));
  return codes.filter((code) => !named.has(code === 'internal' ? "'internal'" : code));
}

/** Tests and their fixtures, without pins, which only list the codes. */
function testTexts(): readonly string[] {
  const isOfTests = (file: string): boolean => /\.(test|fixture)\.ts$/.test(file);
  const files = [
    ...filesIn('src').filter(isOfTests),
    ...filesIn('test').filter(
      (file) => /\.(ts|mjs|ya?ml|json)$/.test(file) && !file.includes(`${sep}pins${sep}`),
    ),
  ];
  return files.filter((file) => !file.includes('node_modules')).map((file) => readFileSync(file, 'utf8'));
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
