import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { commands } from './commands/index.js';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** Commands in prose and code: in backticks, in quotes, or at the start of a line. */
const said = /(?:[`'"]|^\s*(?:\$ |npx )?)tidegate ([a-z][^`'"\n]*)/gm;

it('mentions only existing commands and options in messages and docs', () => {
  const files = [
    ...filesIn('src', '.ts').filter((file) => !file.includes('.test.')),
    ...filesIn('docs', '.md').filter((file) => !file.includes('decisions')),
    join(root, 'README.md'),
  ];
  const wrong = files.flatMap((file) => {
    const text = readFileSync(file, 'utf8');
    return [...text.matchAll(said)]
      .map(([, words = '']) => words)
      .filter((words) => !exists(words))
      .map((words) => `${file.slice(root.length)}: tidegate ${words}`);
  });
  expect(wrong).toEqual([]);
});

function exists(line: string): boolean {
  // Text after a pipe, a semicolon or two hyphens, or in an expression, is not part of the command.
  const [ours = ''] = line.split(/ (?:\||;|&&|--(?= )|#|…)|\$\{|[\\:]/);
  const words = ours.trim().split(/\s+/);
  const [command] = commands
    .filter(({ name }) => `${words.join(' ')} `.startsWith(`${name} `))
    .sort((one, other) => other.name.length - one.name.length);
  if (command === undefined) return isProse(words);
  const known = [...(command.options ?? []).map(({ name }) => `--${name}`), '--help', '--json'];
  return words
    .filter((word) => /^--[a-z]/.test(word))
    .every((word) => known.includes(word.replace(/[=.,;:)].*$/, '')));
}

/** An internal command, or a group of commands. */
function isProse(words: readonly string[]): boolean {
  const [first = '', second] = words;
  if (['mcp-serve', 'help', 'store'].includes(first)) return true;
  return second === undefined && commands.some(({ name }) => name.startsWith(`${first} `));
}

function filesIn(folder: string, ending: string): readonly string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith(ending))
    .map((file) => join(root, folder, file));
}
