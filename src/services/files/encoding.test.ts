import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, detectEncoding, encode, toBytes, toStored } from './encoding.js';

describe('an encoding', () => {
  it('preserves every byte', () => {
    const mark = fc.constantFrom([], [0xef, 0xbb, 0xbf], [0xff, 0xfe], [0xfe, 0xff]);
    fc.assert(
      fc.property(mark, fc.uint8Array({ maxLength: 50 }), (start, rest) => {
        const bytes = Buffer.from([...start, ...rest]);
        expect(toBytes(toStored(bytes))).toEqual(bytes);
      }),
      { numRuns: 1000 },
    );
  });

  it('is detected from the byte order mark, or else from the content', () => {
    const of = (bytes: Buffer): unknown => ({ ...toStored(bytes), tail: undefined });
    const text = 'ä€𝄞';
    const utf16 = Buffer.from(`\ufeff${text}`, 'utf16le');
    expect(of(Buffer.from(`\ufeff${text}`))).toMatchObject({ encoding: 'utf-8', hasBom: true });
    expect(of(Buffer.from(text))).toMatchObject({ encoding: 'utf-8', hasBom: false });
    expect(of(utf16)).toMatchObject({ encoding: 'utf-16le', hasBom: true, units: text });
    expect(of(Buffer.from(utf16).swap16())).toMatchObject({
      encoding: 'utf-16be',
      hasBom: true,
      units: text,
    });
    expect(of(Buffer.from('caf\xe9', 'latin1'))).toMatchObject({ encoding: 'latin1', units: 'café' });
  });

  it('is not misdetected if the sample ends inside a character', () => {
    const bytes = Buffer.from('ab€𝄞');
    for (let length = 0; length <= bytes.length; length += 1) {
      expect(detectEncoding(bytes.subarray(0, length), false).encoding).toBe('utf-8');
    }
    expect(detectEncoding(bytes.subarray(0, 4), true).encoding).toBe('latin1');
    expect(detectEncoding(Buffer.from([0x61, 0xe9]), false).encoding).toBe('utf-8');
    expect(detectEncoding(Buffer.from([0xe9, 0x61]), false).encoding).toBe('latin1');
  });

  it('is UTF-8 with invalid bytes if nothing fits better', () => {
    const broken = Buffer.concat([Buffer.from('ä ö ü '), Buffer.from([0xe9]), Buffer.from(' ß')]);
    expect(detectEncoding(broken, true).encoding).toBe('utf-8');
    expect(detectEncoding(Buffer.from('caf\xe9 na\xefve \xc3\xa9', 'latin1'), true).encoding).toBe('latin1');
  });

  it('encodes what it can, and reports what it cannot', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const units = encode(text, 'utf-8');
        expect(units === undefined ? undefined : decode(units, 'utf-8')).toBe(
          /\p{Surrogate}/u.test(text) ? undefined : text,
        );
      }),
    );
    expect(encode('\ud800', 'utf-8')).toBeUndefined();
    expect(encode('€', 'latin1')).toBeUndefined();
    expect(encode('\ud800', 'utf-16le')).toBe('\ud800');
  });
});
