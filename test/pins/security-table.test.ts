import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../', import.meta.url));

it('names only tests that exist in the security table', () => {
  const text = readFileSync(`${root}docs/security.md`, 'utf8');
  const [, table = ''] = text.split('## What is protected, and by which test');
  const rows = (table.split('\n## ')[0] ?? '').split('\n').filter((line) => line.startsWith('| '));
  const named = rows.slice(1).flatMap((row) => {
    const cell = row.split('|').at(-2) ?? '';
    const tests = [...cell.matchAll(/`([a-z-]+\/[a-z-]+)`((?: \[[\d.]+\])+)/g)];
    expect(tests, row).not.toEqual([]);
    return tests.map(([, file = '', labels = '']) => ({ file, labels: labels.trim().split(' ') }));
  });
  expect(named.length).toBeGreaterThan(30);
  for (const { file, labels } of named) {
    const path = `${root}test/${file}.test.ts`;
    expect(existsSync(path), path).toBe(true);
    const source = readFileSync(path, 'utf8');
    for (const label of labels) expect(source, `${file} ${label}`).toContain(label);
  }
});
