/** The kind of a file, decided by its first bytes and never by its name. */
export type Nature =
  | { readonly kind: 'text' }
  | { readonly kind: 'image' | 'binary'; readonly mediaType: string };

interface Magic {
  readonly bytes: string;
  readonly at?: number;
  readonly mediaType: string;
}

const images: readonly Magic[] = [
  { bytes: '\x89PNG\r\n\x1a\n', mediaType: 'image/png' },
  { bytes: '\xff\xd8\xff', mediaType: 'image/jpeg' },
  { bytes: 'GIF87a', mediaType: 'image/gif' },
  { bytes: 'GIF89a', mediaType: 'image/gif' },
  { bytes: 'WEBP', at: 8, mediaType: 'image/webp' },
];

const binaries: readonly Magic[] = [
  { bytes: '%PDF-', mediaType: 'application/pdf' },
  { bytes: 'PK\x03\x04', mediaType: 'application/zip' },
  { bytes: '\x1f\x8b', mediaType: 'application/gzip' },
  { bytes: 'BZh', mediaType: 'application/x-bzip2' },
  { bytes: '\xfd7zXZ\0', mediaType: 'application/x-xz' },
  { bytes: '\x28\xb5\x2f\xfd', mediaType: 'application/zstd' },
  { bytes: '7z\xbc\xaf\x27\x1c', mediaType: 'application/x-7z-compressed' },
  { bytes: 'ustar', at: 257, mediaType: 'application/x-tar' },
  { bytes: '\x7fELF', mediaType: 'application/x-elf' },
  { bytes: '\0asm', mediaType: 'application/wasm' },
  { bytes: 'MZ', mediaType: 'application/vnd.microsoft.portable-executable' },
  { bytes: '\xca\xfe\xba\xbe', mediaType: 'application/java-vm' },
  { bytes: 'SQLite format 3\0', mediaType: 'application/vnd.sqlite3' },
  { bytes: 'ID3', mediaType: 'audio/mpeg' },
  { bytes: 'OggS', mediaType: 'audio/ogg' },
  { bytes: 'RIFF', mediaType: 'application/x-riff' },
  { bytes: 'ftyp', at: 4, mediaType: 'video/mp4' },
  { bytes: 'wOFF', mediaType: 'font/woff' },
  { bytes: 'wOF2', mediaType: 'font/woff2' },
];

const sampled = 8 * 1024;

/** `isWide`: the file is marked as UTF-16, where every other byte may be zero. */
export function natureOf(head: Buffer, isWide: boolean): Nature {
  const start = head.subarray(0, sampled).toString('latin1');
  const image = images.find((magic) => fits(start, magic));
  if (image) return { kind: 'image', mediaType: image.mediaType };
  const binary = binaries.find((magic) => fits(start, magic));
  // A text may start with the same letters, so only a signature with other characters is conclusive.
  if (binary && (/[^ -~]/.test(binary.bytes) || binary.bytes === '%PDF-' || !isText(start, isWide)))
    return { kind: 'binary', mediaType: binary.mediaType };
  return isText(start, isWide) ? { kind: 'text' } : { kind: 'binary', mediaType: 'application/octet-stream' };
}

function fits(start: string, { bytes, at = 0 }: Magic): boolean {
  return start.startsWith(bytes, at);
}

/** A text has no zero byte and few other control characters. */
function isText(start: string, isWide: boolean): boolean {
  if (isWide) return true;
  if (start.includes('\0')) return false;
  const strange = start.replace(/[^\x01-\x07\x0b\x0e-\x1a\x1c-\x1f\x7f]/g, '').length;
  return strange <= start.length / 10;
}
