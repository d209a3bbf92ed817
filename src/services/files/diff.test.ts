import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { diffTexts } from './diff.js';

function diff(before: string, after: string): string {
  return diffTexts({ name: 'f', before, after, isNew: false, decode: (units) => units }).text;
}

/** Puts a unified diff on a text, as `patch` would. */
function applied(before: string, patch: string): string {
  const lines = before === '' ? [] : before.split(/(?<=\n)/);
  const result: string[] = [];
  let at = 0;
  const [, , ...rest] = patch.split('\n');
  for (const [index, line] of rest.entries()) {
    const [, start, length] = /^@@ -(\d+),(\d+) /.exec(line) ?? [];
    const next = rest[index + 1] ?? '';
    const ending = next.startsWith('\\') ? '' : '\n';
    if (start !== undefined) {
      const until = Number(start) - (length === '0' ? 0 : 1);
      result.push(...lines.slice(at, until));
      at = until;
    } else if (line.startsWith('+')) result.push(line.slice(1) + ending);
    else if (line.startsWith('\\')) continue;
    else {
      expect(lines[at]).toBe(line.slice(1) + ending);
      if (line.startsWith(' ')) result.push(lines[at] ?? '');
      at += 1;
    }
  }
  return [...result, ...lines.slice(at)].join('');
}

describe('a diff', () => {
  it('turns one text into the other', () => {
    const text = fc
      .array(fc.constantFrom('a\n', 'b\n', 'c\n', 'd\n', '\n', 'e'), { maxLength: 40 })
      .map((lines) => lines.join(''));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const patch = diff(before, after);
        if (before === after) expect(patch).toBe('');
        else expect(applied(before, patch)).toBe(after);
      }),
      { numRuns: 2000 },
    );
  });

  it('shows three lines around each change, and joins nearby changes', () => {
    const lines = Array.from({ length: 30 }, (_, index) => `${index + 1}\n`);
    const after = lines.map((line) => (['10\n', '14\n', '25\n'].includes(line) ? `new ${line}` : line));
    const patch = diff(lines.join(''), after.join(''));
    expect(patch.split('\n').filter((line) => line.startsWith('@@'))).toEqual([
      '@@ -7,11 +7,11 @@',
      '@@ -22,7 +22,7 @@',
    ]);
    expect(applied(lines.join(''), patch)).toBe(after.join(''));
  });

  it('marks a last line without a line ending', () => {
    expect(diff('a\n', 'a')).toBe('--- a/f\n+++ b/f\n@@ -1,1 +1,1 @@\n-a\n+a\n\\ No newline at end of file');
  });

  it('is limited in size', () => {
    const before = Array.from({ length: 100_000 }, (_, index) => `old ${index}\n`).join('');
    const after = Array.from({ length: 100_000 }, (_, index) => `new ${index}\n`).join('');
    const { text, added, removed } = diffTexts({
      name: 'f',
      before,
      after,
      isNew: false,
      decode: (units) => units,
    });
    expect([added, removed]).toEqual([100_000, 100_000]);
    expect(text.split('\n').length).toBeLessThan(410);
    expect(text).toContain('@@ -1,100000 +1,100000 @@');
    expect(text).toContain('too long to compare');
    const some = Array.from({ length: 500 }, (_, index) => `${index}\n`).join('');
    expect(diff('', some)).toMatch(/… 101 more lines of this diff are left out$/);
    expect(diff('', 'x'.repeat(10_000)).length).toBeLessThan(700);
  });
});
