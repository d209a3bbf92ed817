import { describe, expect, it } from 'vitest';
import { masked } from './mask.js';

const value = 'made/up=secret"é😀';
const asEscapes = Array.from(
  { length: value.length },
  (_, at) => `\\u${value.charCodeAt(at).toString(16).padStart(4, '0')}`,
).join('');

describe('masked values', () => {
  it.each([
    ['plain', `'${value}'`],
    ['in JSON', JSON.stringify(value)],
    ['with some characters escaped', String.raw`"made\/up\u003dsecret\"\u00E9\ud83d\uDE00"`],
    ['with every character escaped', `"${asEscapes}"`],
    ['in TOML', String.raw`"made/up\U0000003Dsecret\"\xe9\U0001F600"`],
    ['across a TOML line break', `"${value.slice(0, 8)}\\\n   ${value.slice(8).replace('"', '\\"')}"`],
  ])('are masked in every spelling: %s', (_, text) => {
    const around = String.raw`, "b": "C:\\up\u003d" }`;
    const safe = masked(`{ "a": ${text}${around}`, [value]);
    expect(safe.replaceAll("'", '"')).toBe(`{ "a": "***"${around}`);
  });

  it('are masked only as whole strings if they are short', () => {
    const text = String.raw`{"a":"\u0061b","b":"c\u0061b\n"}`;
    expect(masked(text, ['ab'])).toBe(String.raw`{"a":"***","b":"c\u0061b\n"}`);
  });

  it('the control: a plain search does not find escaped values', () => {
    const text = String.raw`"made\u003dup"`;
    expect(text.replaceAll('made=up', '***')).toBe(text);
    expect(masked(text, ['made=up'])).toBe('"***"');
  });
});
