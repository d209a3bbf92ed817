export interface ImageSize {
  readonly width: number;
  readonly height: number;
}

/** The size stated in the head of an image; undefined if it states none. */
export function imageSize(head: Buffer, mediaType: string): ImageSize | undefined {
  try {
    if (mediaType === 'image/png') return { width: head.readUInt32BE(16), height: head.readUInt32BE(20) };
    if (mediaType === 'image/gif') return { width: head.readUInt16LE(6), height: head.readUInt16LE(8) };
    if (mediaType === 'image/webp') return webpSize(head);
    return mediaType === 'image/jpeg' ? jpegSize(head) : undefined;
  } catch (error) {
    // The head ends before the size.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function webpSize(head: Buffer): ImageSize | undefined {
  const form = head.toString('latin1', 12, 16);
  if (form === 'VP8X') return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
  if (form === 'VP8 ')
    return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
  if (form !== 'VP8L') return undefined;
  const bits = head.readUInt32LE(21);
  return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
}

function jpegSize(head: Buffer): ImageSize | undefined {
  for (let at = 2; at < head.length; at += 2 + head.readUInt16BE(at + 2)) {
    if (head.readUInt8(at) !== 0xff) return undefined;
    const marker = head.readUInt8(at + 1);
    // Start of frame, in all variants; C4, C8 and CC are other markers.
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return { width: head.readUInt16BE(at + 7), height: head.readUInt16BE(at + 5) };
  }
  return undefined;
}
