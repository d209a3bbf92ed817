import { describe, expect, it } from 'vitest';
import { createOutputWindow, type Kept } from './output-window.js';
import { maxShown, showOutput } from './shown-output.js';

describe('shown output', () => {
  it('shows both streams completely if they fit together', () => {
    const shown = showOutput(kept('a'.repeat(20_000)), kept('b'.repeat(10_000)), '');
    expect(shown.truncated).toBe(false);
    expect([shown.stdout.length, shown.stderr.length]).toEqual([20_000, 10_000]);
  });

  it('shows the beginning and the end of long output, and says what is missing and where', () => {
    const { stdout, stderr, truncated } = showOutput(
      kept(`begin${'x'.repeat(99_990)}end!!`),
      kept('err'),
      ', see f',
    );
    expect(truncated).toBe(true);
    expect(stderr).toBe('err');
    expect(stdout.startsWith('beginxxx')).toBe(true);
    expect(stdout.endsWith('xend!!')).toBe(true);
    expect(stdout).toContain('\n[... 70004 of 100000 bytes left out, see f ...]\n');
    expect(stdout.length).toBeLessThan(maxShown + 100);
  });

  it('gives each stream its share if both are long', () => {
    const { stdout, stderr } = showOutput(kept('o'.repeat(900_000)), kept('e'.repeat(900_000)), '');
    expect(stdout.match(/o/g)?.length).toBeGreaterThan(19_900);
    expect(stderr.match(/e/g)?.length).toBeGreaterThan(9_900);
  });

  it('counts characters, not bytes, and splits none of them', () => {
    expect(showOutput(kept('€'.repeat(30_000)), kept(''), '').truncated).toBe(false);
    const { stdout, truncated } = showOutput(kept('😀'.repeat(200_000)), kept(''), '');
    expect(truncated).toBe(true);
    expect(
      stdout
        .replace(/\[.*\]/s, '')
        .replaceAll('😀', '')
        .trim(),
    ).toBe('');
  });
});

function kept(text: string): Kept {
  const window = createOutputWindow();
  window.push(Buffer.from(text));
  return window.take(true);
}
