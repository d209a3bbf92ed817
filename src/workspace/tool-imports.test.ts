import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { importsWithin } from './tool-imports.js';

it.each([
  [true, 1],
  [false, 0],
])('finds imports from folders that commands may write to: %s', async (isWritable, found) => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'tidegate-imports-')));
  try {
    const [project, cache] = [join(base, 'project'), join(base, 'cache')];
    for (const folder of [project, cache]) mkdirSync(folder);
    const lib = join(cache, 'lib.mjs');
    writeFileSync(lib, 'export const a = 1;\n');
    const tool = join(project, 'greet.tool.mjs');
    const config = { workspace: { roots: [project] }, shell: { writable: isWritable ? [cache] : [] } };
    const find = importsWithin(project, () => config as never);
    const { files } = await find(new Map([[tool, `import '${lib}';\n`]]));
    expect(files.filter(({ file }) => file === lib)).toHaveLength(found);
  } finally {
    rmSync(base, { recursive: true, force: true });
  }
});
