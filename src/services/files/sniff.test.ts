import { describe, expect, it } from 'vitest';
import { imageSize } from './image-size.js';
import { natureOf } from './sniff.js';

const nature = (content: string | Buffer, isWide = false): string => {
  const found = natureOf(typeof content === 'string' ? Buffer.from(content, 'latin1') : content, isWide);
  return found.kind === 'text' ? 'text' : found.mediaType;
};

describe('the type of a file', () => {
  it('is detected by its first bytes', () => {
    expect(nature('\x89PNG\r\n\x1a\n')).toBe('image/png');
    expect(nature('\xff\xd8\xff\xe0')).toBe('image/jpeg');
    expect(nature('GIF89a...')).toBe('image/gif');
    expect(nature('RIFF\x10\0\0\0WEBPVP8 ')).toBe('image/webp');
    expect(nature('%PDF-1.4\nhello')).toBe('application/pdf');
    expect(nature('PK\x03\x04')).toBe('application/zip');
    expect(nature('\x7fELF\x02')).toBe('application/x-elf');
    expect(nature('MZ\x90\0\x03')).toBe('application/vnd.microsoft.portable-executable');
    expect(nature('hello\0there')).toBe('application/octet-stream');
    expect(nature('\x01\x02\x03\x04')).toBe('application/octet-stream');
  });

  it('is text for content that only starts like another type', () => {
    for (const content of [
      'MZ is a prefix',
      'BZh',
      'ID3 tags',
      'OggS',
      '',
      'plain',
      '\x1b[31mred\x1b[0m\n',
      'caf\xe9',
    ]) {
      expect([content, nature(content)]).toEqual([content, 'text']);
    }
    expect(nature('\xff\xfea\0b\0', true)).toBe('text');
  });
});

describe('the size of an image', () => {
  it('is read from its header', () => {
    const png = Buffer.alloc(33);
    png.writeUInt32BE(640, 16);
    png.writeUInt32BE(480, 20);
    expect(imageSize(png, 'image/png')).toEqual({ width: 640, height: 480 });
    const gif = Buffer.from('GIF89a\x80\x02\xe0\x01', 'latin1');
    expect(imageSize(gif, 'image/gif')).toEqual({ width: 640, height: 480 });
    const jpeg = Buffer.from('ffd8ffe000044a46ffc0001108 01e0 0280 03'.replaceAll(' ', ''), 'hex');
    expect(imageSize(jpeg, 'image/jpeg')).toEqual({ width: 640, height: 480 });
    const extended = Buffer.from('RIFF....WEBPVP8X............', 'latin1');
    const webp = Buffer.concat([extended.subarray(0, 24), Buffer.from([0x7f, 2, 0, 0xdf, 1, 0])]);
    expect(imageSize(webp, 'image/webp')).toEqual({ width: 640, height: 480 });
    const lossless = Buffer.alloc(30);
    lossless.write('VP8L', 12, 'latin1');
    lossless.writeUInt32LE(639 | (479 << 14), 21);
    expect(imageSize(lossless, 'image/webp')).toEqual({ width: 640, height: 480 });
  });

  it('is unknown if the header is cut or damaged', () => {
    for (const type of ['image/png', 'image/gif', 'image/webp', 'image/jpeg', 'image/x']) {
      expect(imageSize(Buffer.from([0xff, 0xd8, 0xff]), type)).toBeUndefined();
    }
  });
});
