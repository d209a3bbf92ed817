import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { namesIn } from './list-folder.js';

it('lists the names in a folder; a missing folder or a file counts as empty', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tidegate-list-'));
  writeFileSync(join(folder, 'file'), '');
  expect([namesIn(folder), namesIn(join(folder, 'missing')), namesIn(join(folder, 'file'))]).toEqual([
    ['file'],
    [],
    [],
  ]);
  rmSync(folder, { recursive: true });
});
