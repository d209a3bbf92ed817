import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { everyCode } from './commands/access/explained-code.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const shape = '([a-z][a-z_]*(?:\\.[a-z][a-z_]*)+|[A-Z]+(?:\\.[A-Z_]+){2,})';
/** Where a literal is a code: a `code` property, or an argument of an error constructor. */
const places = [
  new RegExp(`\\bcode\\\\?["']?: *\\\\?["']${shape}\\\\?["']`, 'g'),
  new RegExp(
    `(?:[Ff]ailure|Refused|Error|[Ff]ault|refusal|[Pp]roblem|report|refuse)\\((?:\\d+,)?\\s*'${shape}'`,
    'g',
  ),
];
/** Codes of the access engine, which are only logged. */
const ofEngine = /^(?:tuple|request|condition|check)\./;

it('lists every code used in the sources in a table', async () => {
  const codes = new Set((await everyCode()).map(({ code }) => code));
  const written = sources().flatMap(({ file, text }) => codesIn(text).map((code) => ({ file, code })));
  expect(written.length).toBeGreaterThan(300);
  const unknown = written.filter(({ code }) => !codes.has(code) && !ofEngine.test(code));
  expect(unknown).toEqual([]);
});

it('finds codes in all notations (the control)', () => {
  const texts = [
    "{ code: 'area.reason' }",
    '\'{"error":{"code":"area.reason"}}\'',
    "failure(404, 'area.reason', 'No.')",
    "new Failure(\n  'area.reason',",
    "createFault('area.reason', '')",
  ];
  expect(texts.map(codesIn)).toEqual(texts.map(() => ['area.reason']));
  expect(codesIn("open('state.json')")).toEqual([]);
});

function codesIn(text: string): readonly string[] {
  return places.flatMap((place) => [...text.matchAll(place)].map(([, code = '']) => code));
}

function sources(): readonly { readonly file: string; readonly text: string }[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.(?:test|fixture|generated)\.ts$/.test(file))
    .map((file) => ({ file, text: readFileSync(join(root, file), 'utf8') }));
}
