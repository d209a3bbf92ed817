import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const source = fileURLToPath(new URL('../../src', import.meta.url));

/** What may be filled into a command as it is: words that were quoted before, and numbers. */
const harmless =
  /^(?:shellWord\(|commandLine\(|String\(|\[shellWord\(|as$|how$|names$|choice\.again$|text$|error\.code$|runId$|word$|subject|file === undefined|configFile === undefined|plugins\.map\(\(\{ name|offBy$)/;
const command = /(?:tidegate [a-z]+|`ls -ld?|`chmod \S+|`rm|`df -h) (?:[^`'"]*?\$\{)/;

describe('[15.40] commands to paste', () => {
  it('have every filled-in word quoted for the shell', () => {
    const bare = ['cli', 'app', 'access'].flatMap((room) => filesIn(join(source, room))).flatMap(unquoted);
    expect(bare).toEqual([]);
  });
});

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath, entry.name));
}

function unquoted(file: string): readonly string[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line, at) => {
      const found = command.exec(line);
      if (found === null) return [];
      const words = [...line.slice(found.index).matchAll(/\$\{([^}]*)/g)].map(([, word = '']) => word.trim());
      const bad = words.filter((word) => !harmless.test(word));
      return bad.map((word) => `${file.slice(source.length + 1)}:${String(at + 1)}: ${word}`);
    });
}
