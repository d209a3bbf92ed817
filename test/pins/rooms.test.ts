import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const src = fileURLToPath(new URL('../../src', import.meta.url));

/** Folders whose folders are rooms of their own. */
const groups = ['concerns', 'providers', 'services', 'stores', 'tools'];

function foldersOf(path: string): string[] {
  if (!existsSync(join(src, path))) return [];
  const entries = readdirSync(join(src, path), { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(path, name));
}

const rooms = foldersOf('.').flatMap((room) => (groups.includes(room) ? foldersOf(room) : [room]));

describe('every room', () => {
  it('is found', () => {
    expect(rooms).toEqual(
      expect.arrayContaining(['kernel', 'gateway', 'wire', 'providers/mcp', 'concerns/log']),
    );
  });

  it.each(rooms)('says what it is for, in fifteen lines at most: %s', (room) => {
    const file = join(src, room, 'README.md');
    expect(existsSync(file)).toBe(true);
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    expect(lines.length).toBeLessThanOrEqual(15);
    // The duty stands in the first line.
    expect([`# ${room}`, `# ${basename(room)}`]).toContain(lines[0]?.split(': ')[0]);
    expect(lines[0]).toMatch(/: \S/);
  });
});
