// src/access/model.generated.ts: the shipped authorization model as data, so that no parser is loaded to use it.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { loadTs } from '../load-ts.mjs';

const source = fileURLToPath(new URL('../../src/access/model.fga', import.meta.url));

export async function outputs() {
  const { compileModel } = await loadTs('src/access/engine/index.ts');
  const model = await compileModel(await readFile(source, 'utf8'));
  const text = [
    '// Generated from src/access/model.fga by `npm run generate`. Do not edit.',
    "import type { CompiledModel } from './engine/index.js';",
    '',
    `export const shippedModel: CompiledModel = ${JSON.stringify(model, undefined, 2)};`,
    '',
  ].join('\n');
  return [{ path: 'src/access/model.generated.ts', text }];
}
