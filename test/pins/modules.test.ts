import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const src = fileURLToPath(new URL('../../src', import.meta.url));

/** Folders whose folders are modules of their own. */
const groups = ['features', 'observers', 'providers', 'services', 'stores', 'tools'];

function foldersOf(path: string): string[] {
  if (!existsSync(join(src, path))) return [];
  const entries = readdirSync(join(src, path), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name));
}

const modules = foldersOf('.').flatMap((module) => (groups.includes(module) ? foldersOf(module) : [module]));

describe('every module', () => {
  it('is found', () => {
    expect(modules).toEqual(
      expect.arrayContaining(['core', 'gateway', 'transports', 'providers/mcp', 'observers/log']),
    );
  });

  it.each(modules)('has a README of at most fifteen lines: %s', (module) => {
    const file = join(src, module, 'README.md');
    expect(existsSync(file)).toBe(true);
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(15);
    // The first line says what it is for.
    expect([`# ${module}`, `# ${basename(module)}`]).toContain(lines[0]?.split(': ')[0]);
    expect(lines[0]).toMatch(/: \S/);
  });
});
