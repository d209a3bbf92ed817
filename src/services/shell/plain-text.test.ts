import { describe, expect, it } from 'vitest';
import { firstOf, fromCharacter, lastOf, plainText, toCharacter } from './plain-text.js';

const plain = (text: string): string => plainText(Buffer.from(text));

describe('plain text', () => {
  it('removes colors, titles, cursor movements and other escape sequences', () => {
    expect(plain('\u001b[1;31mred\u001b[0m')).toBe('red');
    expect(plain('\u001b]0;title\u0007text\u001b]8;;http://x\u001b\\link')).toBe('textlink');
    expect(plain('\u001b[2J\u001b[?25l\u001b(B\u001b=done\u001b7')).toBe('done');
    expect(plain('\u001bPq#0;2\u001b\\after')).toBe('after');
  });

  it('keeps tabs, line breaks and carriage returns, drops other control characters, shows NUL', () => {
    expect(plain('a\tb\nc\rd\be\u0007\u007ff\0g')).toBe('a\tb\nc\rdef\ufffdg');
  });

  it('replaces invalid UTF-8', () => {
    expect(plainText(Uint8Array.of(0x61, 0xff, 0xc3, 0x62))).toBe('a\ufffd\ufffdb');
  });

  it('takes time proportional to the text, for any content', () => {
    const hostile = ['\u001b]', '\u001b[0', '\u001bP', '\u001b[', '\u001b ', '\u001b]a'];
    for (const part of hostile) plain(part.repeat(100_000));
    plain(`\u001b[${'0'.repeat(300_000)}`);
    plain(`\u001b]${'x'.repeat(300_000)}`);
    // A pattern that goes back over the text would outlast the test.
    expect(plain('\u001b[').length).toBeLessThan(3);
  });

  it('cuts bytes only between characters', () => {
    const bytes = Buffer.from('a€😀');
    expect(Buffer.from(toCharacter(bytes)).toString()).toBe('a€😀');
    expect(Buffer.from(toCharacter(bytes.subarray(0, 6))).toString()).toBe('a€');
    expect(Buffer.from(toCharacter(bytes.subarray(0, 3))).toString()).toBe('a');
    expect(Buffer.from(fromCharacter(bytes.subarray(2))).toString()).toBe('😀');
    expect(toCharacter(new Uint8Array())).toHaveLength(0);
  });

  it('cuts text only between surrogate pairs', () => {
    expect([firstOf('a😀b', 2), firstOf('a😀b', 3), firstOf('ab', 9)]).toEqual(['a', 'a😀', 'ab']);
    expect([lastOf('a😀b', 2), lastOf('a😀b', 3), lastOf('ab', 9)]).toEqual(['b', '😀b', 'ab']);
  });
});
