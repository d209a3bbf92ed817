import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Context } from '../../command.js';
import { readDocumentFile } from './document-file.js';

let cwd = '';
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'tidegate-document-'));
});
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const at = (): Context => ({ cwd }) as unknown as Context;

it('reads a document from a regular file', async () => {
  writeFileSync(join(cwd, 'a.yaml'), 'zone: local\n');
  expect(await readDocumentFile('a.yaml', at())).toEqual({ zone: 'local' });
});

it.skipIf(process.platform === 'win32')('a pipe, a device and a folder are refused at once', async () => {
  execFileSync('mkfifo', [join(cwd, 'pipe')]);
  for (const name of ['pipe', '/dev/zero', '.'])
    await expect(readDocumentFile(name, at())).rejects.toThrow('Not a regular file');
  await expect(readDocumentFile('none', at())).rejects.toThrow('No such file');
});
