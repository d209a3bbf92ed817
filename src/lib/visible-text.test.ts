import { describe, expect, it } from 'vitest';
import { visibleText } from './visible-text.js';

describe('visibleText', () => {
  it.each([
    ['plain ü 漢 🙂 ❤️ two\nlines\r\nand\ttabs'],
    ['family 👨‍👩‍👧, heart ❤️‍🔥, skin 👩🏽‍💻'],
    ['flag 🏴󠁧󠁢󠁥󠁮󠁧󠁿'],
    ['می‌خواهم and क्‍ष'],
  ])('leaves ordinary text unchanged: %j', (text) => {
    expect(visibleText(text)).toBe(text);
  });

  it.each([
    ['a\u200bb', 'a\\u200bb'],
    ['a\u200db', 'a\\u200db'],
    ['\u001b[2J', '\\u001b[2J'],
    ['\u202eevil', '\\u202eevil'],
    ['tag \u{e0041}', 'tag \\udb40\\udc41'],
    ['many ❤\ufe0f\ufe01\ufe02', 'many ❤\ufe0f\\ufe01\\ufe02'],
    ['lone \r', 'lone \\u000d'],
  ])('escapes invisible characters: %j', (text, safe) => {
    expect(visibleText(text)).toBe(safe);
  });
});
